"""The figures of the lectures with points; `mercer.studio.lessons.presets` reads them."""

from __future__ import annotations

from typing import Any

_SVC = "SVC"
_NONE: dict[str, float] = {}

POINTS: tuple[dict[str, Any], ...] = (
    {
        "name": "moons",
        "title": "Two moons: start here",
        "text": "Two classes that no line separates. Move the slider of the length scale: a small "
        "one follows every point, a large one is nearly a line. Drag points, or draw new ones.",
        "chapter": "learners",
        "space": "plane",
        "samples": "moons",
        "task": "classes",
        "variants": (
            ("RBF", "RBF(length_scale=0.6)", _SVC, {"C": 5.0}),
            ("too narrow", "RBF(length_scale=0.1)", _SVC, {"C": 5.0}),
            ("too wide", "RBF(length_scale=6.0)", _SVC, {"C": 5.0}),
            ("sum of two kernels", "0.5 * RBF(length_scale=0.6) + Linear()", _SVC, {"C": 5.0}),
        ),
    },
    {
        "name": "sinusoids",
        "title": "Two sinusoids, seven machines",
        "text": "Half a wave of the sine and half a wave of the cosine. A line nearly separates "
        "them, a curve does better: compare the number of support vectors of each machine.",
        "chapter": "learners",
        "space": "plane",
        "samples": "sinusoids",
        "task": "classes",
        "variants": (
            ("linear, C = 1", "0.5 * Linear()", _SVC, {"C": 1.0}),
            ("degree 2, C = 1", "Polynomial(degree=2, scale=0.5)", _SVC, {"C": 1.0}),
            ("degree 2, C = 50", "Polynomial(degree=2, scale=0.5)", _SVC, {"C": 50.0}),
            ("degree 3, C = 1", "Polynomial(degree=3, scale=0.5)", _SVC, {"C": 1.0}),
            ("degree 3, C = 50", "Polynomial(degree=3, scale=0.5)", _SVC, {"C": 50.0}),
            ("Gaussian γ = 0.5", "RBF(length_scale=1.0)", _SVC, {"C": 1.0}),
            ("Gaussian γ = 2", "RBF(length_scale=0.5)", _SVC, {"C": 50.0}),
        ),
        "study": 1,
    },
    {
        "name": "sinc",
        "title": "A noisy sinc, three regressions",
        "text": "sin(x)/x with noise. If the kernel is too wide and the tube too thick, the curve "
        "misses the waves; if the kernel is too narrow, it follows the noise.",
        "chapter": "learners",
        "space": "curve",
        "samples": "sinc",
        "task": "values",
        "variants": (
            ("well fitted", "RBF(length_scale=2.236)", "SVR", {"C": 10.0, "epsilon": 0.06}),
            ("underfitted", "RBF(length_scale=10.0)", "SVR", {"C": 1.0, "epsilon": 0.15}),
            ("overfitted", "RBF(length_scale=0.25)", "SVR", {"C": 10.0, "epsilon": 0.001}),
        ),
        "study": 2,
    },
    {
        "name": "ring",
        "title": "A ring, and the plane that separates it",
        "text": "No line separates a disc from a ring. The kernel ⟨x, x′⟩² is an inner product in "
        "three dimensions, where a plane does: nobody has to compute them.",
        "chapter": "kernels",
        "space": "plane",
        "samples": "ring",
        "task": "classes",
        "variants": (
            ("⟨x, x′⟩²", "Polynomial(degree=2, offset=0.0)", _SVC, {"C": 100.0}),
            ("linear", "Linear()", _SVC, {"C": 100.0}),
        ),
        "study": 3,
    },
    {
        "name": "shells",
        "title": "Kernel PCA compared with PCA",
        "text": "Three clusters around each other. PCA, the linear kernel, only rotates them; the "
        "map of kernel PCA pulls them apart. Point at a sample to find it in both pictures.",
        "chapter": "projection",
        "space": "plane",
        "samples": "shells",
        "task": "classes",
        "variants": (
            ("Gaussian", "RBF(length_scale=1.5)", _SVC, {"C": 1.0}),
            ("(⟨x, x′⟩ + 1)²", "Polynomial(degree=2)", _SVC, {"C": 1.0}),
            ("PCA", "Linear()", _SVC, {"C": 1.0}),
        ),
        "study": 4,
        "show": "components",
    },
    {
        "name": "process",
        "title": "A Gaussian process learns its scale",
        "text": "The band is wide where there are no points. Press “Step through learning”: each "
        "step changes the length scale so that the points become more likely.",
        "chapter": "gaussian_processes",
        "space": "curve",
        "samples": "wave",
        "task": "values",
        "variants": (
            ("to be learned", "RBF(length_scale=0.3)", "GaussianProcessRegressor", {"alpha": 0.01}),
            ("Matérn", "Matern(length_scale=1.0)", "GaussianProcessRegressor", {"alpha": 0.01}),
            ("exponential", "Exponential(length_scale=1.0)", "GaussianProcessRegressor", _NONE),
        ),
        "show": "draws",
    },
    {
        "name": "seasons",
        "title": "Trend plus season: kernels as algebra",
        "text": "A sum of kernels is a sum of functions: a line, and a wave that changes slowly, "
        "which is a product. Take a term away and see what the curve loses.",
        "chapter": "algebra",
        "space": "curve",
        "samples": "seasons",
        "task": "values",
        "variants": (
            (
                "trend + season",
                "0.3 * Linear() + Periodic(period=1.0) * RBF(length_scale=6.0)",
                "GaussianProcessRegressor",
                {"alpha": 0.01},
            ),
            ("season alone", "Periodic(period=1.0)", "GaussianProcessRegressor", {"alpha": 0.01}),
            ("RBF", "RBF(length_scale=1.0)", "GaussianProcessRegressor", {"alpha": 0.01}),
        ),
        "show": "draws",
    },
    {
        "name": "refuted",
        "title": "A function that is no kernel",
        "text": "tanh(⟨x, x′⟩) was used as a kernel for years. Two points and two coefficients "
        "refute it: look at the counterexample and at the negative eigenvalues. Learners "
        "refuse it.",
        "chapter": "algebra",
        "space": "plane",
        "samples": "xor",
        "task": "classes",
        "variants": (
            ("Sigmoid", "Sigmoid()", _SVC, {"C": 1.0}),
            ("a difference", "RBF() - 0.5 * Linear()", "KernelNeighborsClassifier", _NONE),
            ("exp of a kernel", "Linear().exp().normalize()", _SVC, {"C": 1.0}),
        ),
        "show": "proof",
    },
    {
        "name": "novelty",
        "title": "Novelty, and Parzen windows",
        "text": "What is unlike the samples? The distance from the mean in feature space, a "
        "machine with one class, and a density estimate answer in different ways.",
        "chapter": "learners",
        "space": "plane",
        "samples": "cloud",
        "task": "none",
        "variants": (
            ("one class", "RBF(length_scale=0.6)", "OneClassSVM", {"nu": 0.1}),
            ("distance from the mean", "RBF(length_scale=0.8)", "CentroidNovelty", _NONE),
            ("Parzen windows", "RBF(length_scale=0.4)", "KernelDensity", _NONE),
            ("smallest ball", "RBF(length_scale=0.8)", "SVDD", {"nu": 0.1}),
        ),
        "study": 8,
    },
    {
        "name": "anova",
        "title": "ANOVA: products of columns",
        "text": "The class depends on the sign of x₁x₂. The ANOVA kernel of degree 2 has this "
        "product as its only feature; degree 1 sees the columns one by one.",
        "chapter": "kernels",
        "space": "plane",
        "samples": "xor",
        "task": "classes",
        "variants": (
            ("degree 2", "ANOVA(degree=2)", _SVC, {"C": 1.0}),
            ("degree 1", "ANOVA(degree=1)", _SVC, {"C": 1.0}),
            ("all subsets", "AllSubsets()", _SVC, {"C": 1.0}),
        ),
        "study": 10,
    },
    {
        "name": "composed",
        "title": "A new kernel, composed and certified",
        "text": "A product of features divided by √(θ − ⟨x, x′⟩): a power series with positive "
        "coefficients, times an inner product. Unfold the proof.",
        "chapter": "algebra",
        "space": "plane",
        "samples": "square",
        "task": "classes",
        "variants": (
            (
                "the product",
                "(Constant() + Linear() + ANOVA(degree=2))"
                " * PowerSeries(Linear(), coefficients=inverse_root(3.5), radius=3.5)",
                _SVC,
                {"C": 100.0},
            ),
            (
                "the series alone",
                "PowerSeries(Linear(), coefficients=inverse_root(3.5), radius=3.5)",
                _SVC,
                {"C": 100.0},
            ),
        ),
        "study": 11,
        "show": "proof",
    },
    {
        "name": "diabetes",
        "title": "Two columns of a table",
        "text": "The progression of diabetes by body-mass index and triglycerides, standardized. "
        "A length scale for each column, [1.0, 3.0], lets one of them matter less.",
        "chapter": "learning",
        "space": "plane",
        "samples": "diabetes",
        "task": "values",
        "variants": (
            ("ridge", "RBF(length_scale=2.0)", "KernelRidge", {"alpha": 1.0}),
            ("a scale each", "RBF(length_scale=[1.0, 3.0])", "KernelRidge", {"alpha": 1.0}),
            ("linear", "Linear() + Constant()", "KernelRidge", {"alpha": 1.0}),
        ),
        "study": 12,
    },
    {
        "name": "clusters",
        "title": "Clusters that are no balls",
        "text": "k-means in feature space, and spectral clustering, with the kernel that you "
        "build. Change its width and watch clusters merge.",
        "chapter": "learners",
        "space": "plane",
        "samples": "moons",
        "task": "none",
        "variants": (
            ("spectral", "RBF(length_scale=0.25)", "SpectralClustering", {"n_clusters": 2.0}),
            ("k-means", "RBF(length_scale=0.5)", "KernelKMeans", {"n_clusters": 2.0}),
        ),
    },
)
