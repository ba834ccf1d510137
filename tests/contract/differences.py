"""scikit-learn's own tests that mercer's classes fail on purpose, each with the reason.

A row is the name of a test, or its name with the parameters in brackets where others of them
pass. What a user can meet of these is listed in docs/coming_from_scikit_learn.md.
"""

from __future__ import annotations

PRIVATE = "reads a private attribute of scikit-learn's class"
NEGATIVE = "negative weights are refused: the problem is not convex with them"
NOT_DEPRECATED = "probability estimates are not deprecated here"
TEXT = "compares the text of a warning; its class and number are the same"

DIFFERENCES: dict[str, dict[str, str]] = {
    "svm.tests.test_svm": {
        "test_svr_errors": "a function of the wrong shape is refused by fit, not by predict",
        "test_custom_kernel_not_array_input[SVC]": "a function is called on new samples and the "
        "support vectors, and the one of this test only works for two equal collections",
        "test_tweak_params": PRIVATE,
        "test_gamma_scale": PRIVATE,
        "test_svc_raises_error_internal_representation": PRIVATE,
        "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-SVC]": NEGATIVE,
        "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-NuSVC]": NEGATIVE,
        "test_negative_weight_equal_coeffs[partial-mask-label-1-SVC]": NEGATIVE,
        "test_negative_weight_equal_coeffs[partial-mask-label-1-NuSVC]": NEGATIVE,
        "test_negative_weight_equal_coeffs[partial-mask-label-1-NuSVR]": NEGATIVE,
        "test_bad_input": "new samples may be sparse where those of training were dense",
        "test_probability_raises_futurewarning": NOT_DEPRECATED,
        "test_svc_nusvc_probA_probB_deprecated": NOT_DEPRECATED,
    },
    "svm.tests.test_sparse": {
        "test_sparse_oneclasssvm": "equal samples share their coefficient in any proportion"
    },
    "tests.test_kernel_ridge": {},
    "tests.test_kernel_approximation": {
        "test_rbf_sampler_gamma_scale": PRIVATE,
        "test_nystroem_poly_kernel_params": "a power of 3.1 of an inner product is no kernel",
        "test_nystroem_callable": "counts the calls of a function, which is also called to "
        "measure what the centers leave",
    },
    "gaussian_process.tests.test_gpr": {
        "test_gpr_correct_error_message": "jitter is added to a singular matrix, with a warning",
        "test_warning_bounds": TEXT,
        "test_constant_target": PRIVATE,
    },
    "gaussian_process.tests.test_gpc": {
        "test_predict_consistent_structured": "a probability of exactly 1/2 is a tie, "
        "which goes to the first class; scikit-learn's sum is below 1/2 there",
        "test_warning_bounds": TEXT,
    },
    "decomposition.tests.test_kernel_pca": {
        "test_kernel_pca_precomputed_non_symmetric": "a matrix that is not symmetric is refused",
        "test_precomputed_kernel_not_psd[randomized]": "every solver finds the largest "
        "eigenvalues; scikit-learn's randomized one finds the largest moduli",
    },
    "cluster.tests.test_spectral": {},
    "neighbors.tests.test_kde": {
        "test_kernel_density_sampling": "every window can be sampled, not two of them only"
    },
    "semi_supervised.tests.test_label_propagation": {
        "test_label_spreading_closed_form": PRIVATE,
        "test_label_propagation_closed_form": PRIVATE,
        "test_label_propagation_build_graph_normalized": PRIVATE,
    },
    "semi_supervised.tests.test_self_training": {},
}
