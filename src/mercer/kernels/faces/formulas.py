"""The formula of every kernel in LaTeX.

``<x>`` and ``<y>`` stand for the two samples, which may be images f(x) or some columns of x;
``<length_scale>`` and other names stand for parameters: a number, or the symbol of `SYMBOLS`.
"""

from __future__ import annotations

__all__: list[str] = []

SYMBOLS = {
    "length_scale": r"\ell",
    "gamma": r"\gamma",
    "alpha": r"\alpha",
    "beta": r"\beta",
    "nu": r"\nu",
    "order": r"\nu",
    "rho": r"\rho",
    "decay": r"\lambda",
    "epsilon": r"\varepsilon",
    "period": "p",
    "power": "p",
    "degree": "p",
    "scale": "a",
    "offset": "b",
    "c": "c",
    "t": "t",
    "a": "a",
    "steps": "p",
    "length": "n",
    "matches": "m",
    "mismatches": "m",
    "depth": "h",
    "value": "a",
    "slope": "b",
    "exponent": "p",
    "factor": "c",
}

_INNER = r"\langle <x>, <y>\rangle"
_DISTANCE = r"\lVert <x> - <y>\rVert"
_COUNTS = r"\lvert <x>\rvert_u\,\lvert <y>\rvert_u"
_SUBTREES = r"<decay>^{\lvert s\rvert}\,\lvert <x>\rvert_s\,\lvert <y>\rvert_s"

FORMULAS: dict[str, str] = {
    # functions of an inner product
    "Linear": _INNER,
    "GeneralLinear": r"<x>^\top A\,<y>",
    "Polynomial": rf"\left(<scale>\,{_INNER} + <offset>\right)^{{<degree>}}",
    "ExponentialDot": rf"\exp\left(<alpha>\,{_INNER}\right)",
    "Cosine": rf"\frac{{{_INNER}}}{{\lVert <x>\rVert\,\lVert <y>\rVert}}",
    "ArcCosine": r"\frac1\pi\,\lVert <x>\rVert^{\nu}\,\lVert <y>\rVert^{\nu}\,J_{\nu}(\theta),"
    r"\quad \theta = \angle(<x>, <y>),\ \nu = <order>",
    "Constant": "<c>",
    "White": r"[<x> \text{ and } <y> \text{ are the same sample}]",
    "Sigmoid": rf"\tanh\left(<scale>\,{_INNER} + <offset>\right)",
    # functions of a distance
    "RBF": rf"\exp\left(-\frac{{{_DISTANCE}^2}}{{2\cdot <length_scale>^2}}\right)",
    "Exponential": rf"\exp\left(-\frac{{{_DISTANCE}}}{{<length_scale>}}\right)",
    "Laplacian": r"\exp\left(-\frac{\lVert <x> - <y>\rVert_1}{<length_scale>}\right)",
    "Matern": rf"\frac{{2^{{1-\nu}}}}{{\Gamma(\nu)}}\,z^\nu K_\nu(z),\quad "
    rf"z = \sqrt{{2\nu}}\,\frac{{{_DISTANCE}}}{{<length_scale>}},\ \nu = <nu>",
    "RationalQuadratic": rf"\left(1 + \frac{{{_DISTANCE}^2}}"
    r"{2\cdot <alpha>\cdot <length_scale>^2}\right)^{-<alpha>}",
    "InverseMultiquadric": rf"\frac1{{\sqrt{{{_DISTANCE}^2 + <c>^2}}}}",
    "Multiquadric": rf"-\sqrt{{{_DISTANCE}^2 + <c>^2}}",
    "NegativeDistance": rf"-{_DISTANCE}^{{<power>}}",
    "LogDistance": rf"-\log\left(1 + {_DISTANCE}^{{<power>}}\right)",
    "Bessel": rf"\Gamma(\nu + 1)\left(\frac2z\right)^\nu J_\nu(z),\quad "
    rf"z = \frac{{{_DISTANCE}}}{{<length_scale>}},\ \nu = <order>",
    "Wendland": rf"(1 - t)_+^p\,q(t),\quad t = \frac{{{_DISTANCE}}}{{<length_scale>}}",
    "DistanceCosine": rf"\cos\frac{{{_DISTANCE}}}{{<length_scale>}}",
    "Stationary": r"\prod_j \frac{\int S(\omega)\cos\left(\omega\,({<x>}_j - {<y>}_j)/"
    r"<length_scale>\right)d\omega}{\int S(\omega)\,d\omega}",
    # coordinate by coordinate
    "Periodic": r"\exp\left(-2\sum_j \frac{\sin^2\left(\pi\,({<x>}_j - {<y>}_j)/<period>\right)}"
    r"{<length_scale>^2}\right)",
    "Spline": r"\prod_j\left(1 + uv + uvm - \frac{u + v}2\,m^2 + \frac{m^3}3\right),"
    r"\quad u = {<x>}_j,\ v = {<y>}_j,\ m = \min(u, v)",
    "Brownian": r"\prod_j \min({<x>}_j, {<y>}_j)",
    "HistogramIntersection": r"\sum_j \min({<x>}_j, {<y>}_j)",
    "Tanimoto": r"\frac{\sum_j \min({<x>}_j, {<y>}_j)}{\sum_j \max({<x>}_j, {<y>}_j)}",
    "Chi2": r"\exp\left(-<gamma>\sum_j \frac{({<x>}_j - {<y>}_j)^2}{{<x>}_j + {<y>}_j}\right)",
    "ANOVA": r"\sum_{\lvert A\rvert = <degree>}\ \prod_{i \in A} {<x>}_i\,{<y>}_i",
    "AllSubsets": r"\prod_i \left(1 + {<x>}_i\,{<y>}_i\right)",
    # sets
    "Jaccard": r"\frac{\lvert <x> \cap <y>\rvert}{\lvert <x> \cup <y>\rvert}",
    "SetIntersection": r"\lvert <x> \cap <y>\rvert",
    "SharedSubsets": r"2^{\lvert <x> \cap <y>\rvert}",
    "Matches": rf"\frac1d\,{_INNER}",
    # categories
    "Overlap": r"\frac1d\sum_j\,[{<x>}_j = {<y>}_j]",
    "WeightedOverlap": r"\exp\left(\frac{<gamma>}d\sum_j h(P_j({<x>}_j))\,[{<x>}_j = {<y>}_j]"
    r"\right),\quad h(z) = \left(1 - z^{<alpha>}\right)^{1/<alpha>}",
    "SharedMissingness": r"\exp\left(-\frac{h}{<length_scale>^2}\right),\quad h = "
    r"\#\{j : \text{only one of } {<x>}_j, {<y>}_j \text{ is missing}\}",
    # strings and texts
    "Spectrum": rf"\sum_{{\lvert u\rvert = <length>}} {_COUNTS}",
    "BlendedSpectrum": rf"\sum_{{m=1}}^{{<length>}} <decay>^{{2m}}\sum_{{\lvert u\rvert = m}} "
    rf"{_COUNTS}",
    "Mismatch": r"\sum_{\lvert u\rvert = <length>} \phi_u(<x>)\,\phi_u(<y>),\quad \phi_u(x) = "
    r"\#\{\text{substrings of } x \text{ with at most } <mismatches> \text{ mismatches from } u\}",
    "GappedKmer": r"\sum_{u \subset <x>,\,v \subset <y>} \binom{<length> - d(u, v)}{<matches>},"
    r"\quad \lvert u\rvert = \lvert v\rvert = <length>",
    "WeightedDegree": r"\sum_{m=1}^{<length>} \frac{2(<length> - m + 1)}"
    r"{<length>(<length> + 1)}\sum_i\,[<x>_{i:i+m} = <y>_{i:i+m}]",
    "Subsequence": r"\sum_{\lvert u\rvert = <length>}\ \sum_{i:\,u = <x>[i]}\ "
    r"\sum_{j:\,u = <y>[j]} <decay>^{l(i) + l(j)}",
    "LocalAlignment": r"\sum_{\pi} \exp\left(<beta>\,s(\pi)\right) \text{ over local alignments }"
    r"\pi \text{ of } <x> \text{ and } <y> \text{, normalized}",
    "EditDistance": r"\exp\left(-<gamma>\,d_{\mathrm{edit}}(<x>, <y>)\right)",
    "BagOfWords": r"\sum_w \lvert <x>\rvert_w\,\lvert <y>\rvert_w",
    "TfIdf": r"\cos\left(\phi(<x>), \phi(<y>)\right),\quad \phi_w(x) = "
    r"\log(1 + \lvert x\rvert_w)\,\log\frac{N}{1 + N_w}",
    # series
    "GlobalAlignment": r"\sum_\pi \prod_{(i, j) \in \pi} \kappa({<x>}_i, {<y>}_j) "
    r"\text{ over alignments } \pi,\quad \kappa = \frac{\omega k}{2 - \omega k}",
    "Signature": r"\sum_p w_p\,\frac{S_p(<x>, <y>)}{\sqrt{S_p(<x>, <x>)\,S_p(<y>, <y>)}}",
    "CurveProduct": r"<value>\int <x>\,<y> + <slope>\int <x>'\,<y>'",
    "ExpDTW": r"\exp\left(-<gamma>\,d_{\mathrm{DTW}}(<x>, <y>)^2\right)",
    "DynamicTimeWarping": r"-\tfrac12\,d_{\mathrm{DTW}}(<x>, <y>)^2",
    # trees
    "Subtrees": rf"\sum_s {_SUBTREES} \text{{ over complete subtrees }} s",
    "SubsetTrees": rf"\sum_s {_SUBTREES} \text{{ over fragments }} s",
    "PartialTrees": r"\sum_s \phi_s(<x>)\,\phi_s(<y>) \text{ over partial trees } s",
    # distributions
    "JensenShannon": r"\exp\left(-<gamma>\left(H\!\left(\tfrac{<x> + <y>}2\right) - "
    r"\tfrac{H(<x>) + H(<y>)}2\right)\right)",
    "Hellinger": r"\exp\left(-<gamma>\left(1 - \sum_j \sqrt{{<x>}_j\,{<y>}_j}\right)\right)",
    "Bhattacharyya": r"\sum_j \sqrt{{<x>}_j\,{<y>}_j}",
    "ProbabilityProduct": r"\sum_j {{<x>}_j}^{<rho>}\,{{<y>}_j}^{<rho>}",
    "Fisher": r"u_{<x>}^\top\,(F + <epsilon> I)^{-1}\,u_{<y>},\quad "
    r"u_x = \nabla_\theta \log p_\theta(x)",
    # nodes of a graph
    "Diffusion": r"\exp(<t>\,B)_{<x><y>}",
    "LaplacianDiffusion": r"\exp(-<t>\,L)_{<x><y>}",
    "RegularizedLaplacian": r"\left((I + <t>\,L)^{-1}\right)_{<x><y>}",
    "CommuteTime": r"\left(L^+\right)_{<x><y>}",
    "RandomWalk": r"\left((<a>\,I - D^{-1/2} L D^{-1/2})^{<steps>}\right)_{<x><y>}",
    "CommonNeighbours": r"\left(B^{<power>}\right)_{<x><y>}",
    # graphs
    "WeisfeilerLehman": r"\sum_{i=0}^{<depth>} w_i \sum_c \#c(<x>)\,\#c(<y>)",
    "WeisfeilerLehmanAssignment": r"\sum_{i=0}^{<depth>} w_i \sum_c \min(\#c(<x>), \#c(<y>))",
    "ShortestPaths": r"\sum_{(u, v) \in <x>}\ \sum_{(u', v') \in <y>} k(u, u')\,k(v, v')\,"
    r"[d(u, v) = d(u', v')]",
    "GraphHopper": r"\sum_{v \in <x>}\ \sum_{v' \in <y>} k(v, v')\,\langle M_v, M_{v'}\rangle",
    "GraphWalks": r"\sum_t <decay>^t\,\#\{\text{pairs of matching walks of } t \text{ edges}\}",
    "Graphlets": r"\sum_g \#g(<x>)\,\#g(<y>)",
    "Assignment": r"\max_\pi \sum_{a \in <x>} k(a, \pi(a)),\quad \pi : <x> \to <y>",
    "GraphEditDistance": r"\exp\left(-<gamma>\,d_{\mathrm{edit}}(<x>, <y>)\right)",
    # matrices
    "Precomputed": r"K_{<x><y>}",
}

# where a length scale, or a period, is given for each column
PER_COLUMN: dict[str, str] = {
    "RBF": r"\exp\left(-\frac12\sum_j \frac{({<x>}_j - {<y>}_j)^2}{\ell_j^2}\right)",
    "Exponential": r"\exp\left(-\sqrt{\sum_j \frac{({<x>}_j - {<y>}_j)^2}{\ell_j^2}}\right)",
    "Laplacian": r"\exp\left(-\sum_j \frac{\lvert {<x>}_j - {<y>}_j\rvert}{\ell_j}\right)",
    "Matern": r"\frac{2^{1-\nu}}{\Gamma(\nu)}\,z^\nu K_\nu(z),\quad z^2 = 2\nu\sum_j "
    r"\frac{({<x>}_j - {<y>}_j)^2}{\ell_j^2},\ \nu = <nu>",
    "RationalQuadratic": r"\left(1 + \frac1{2\cdot <alpha>}\sum_j \frac{({<x>}_j - {<y>}_j)^2}"
    r"{\ell_j^2}\right)^{-<alpha>}",
    "Periodic": r"\exp\left(-2\sum_j \frac{\sin^2\left(\pi\,({<x>}_j - {<y>}_j)/p_j\right)}"
    r"{\ell_j^2}\right)",
}

# by the name of the kernel, and the value of its parameter ``form``
VARIANTS: dict[tuple[str, str], str] = {
    ("Tanimoto", "dot"): rf"\frac{{{_INNER}}}"
    rf"{{\lVert <x>\rVert^2 + \lVert <y>\rVert^2 - {_INNER}}}"
}

# of one kernel, which is <k>; its value for other samples is <kxx> and <kyy>
AROUND: dict[str, str] = {
    "Exp": r"\exp\left(<k>\right)",
    "Normalized": r"\frac{<k>}{\sqrt{<kxx>\;<kyy>}}",
    "Centered": r"\left[<k>\right]_{\text{centered}}",
    "MissingAware": r"\mathbb{E}\left[<k>\right]_{\text{missing values}}",
    "Completions": r"\operatorname{mean}\left[<k>\right]_{\text{all completions}}",
    "ModeFilled": r"\left[<k>\right]_{\text{filled by modes}}",
    "Imputed": r"\operatorname{mean}\left[<k>\right]_{\text{imputations}}",
    "MeanEmbedding": r"\operatorname{mean}_{a \in <x>,\,b \in <y>} \left[<kab>\right]",
    "Convolution": r"\sum_{a \in \mathrm{parts}(<x>)}\ \sum_{b \in \mathrm{parts}(<y>)} <kab>",
}
