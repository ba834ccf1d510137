"""Why a model predicts what it predicts, by the columns of a table or the parts of a sample."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Estimator, RandomState, RawSamples
from mercer.domains.raw import pick_rows, raw_length
from mercer.errors import ABSENT, EmptyInputError, InputTypeError, NotSeparableError, ParameterError
from mercer.explanations import tables as tables  # its rules are registered
from mercer.explanations.explanation import Explanation
from mercer.explanations.functions import PREDICTION, LearnedFunction, learned_function
from mercer.explanations.outputs import output_function
from mercer.explanations.parts import PartExplanation, explain_letters, explain_parts, has_letters
from mercer.explanations.pipelines import goes_by_columns
from mercer.explanations.questions import Question, corrected
from mercer.explanations.rows import Groups, as_table, check_background, is_table
from mercer.params import integer

_FEW = 100  # orders of columns, where sampling only corrects exact values
_DEFAULT_ROWS = 100  # training samples that are the background where none is given


def explain(
    model: Estimator,
    X: RawSamples,
    *,
    background: RawSamples = None,
    groups: Groups = None,
    interactions: bool = False,
    samples: int = 1000,
    random_state: RandomState = 0,
) -> Explanation | PartExplanation:
    """Explain what a model says of samples by their columns, or by their parts.

    For rows of a table it computes interventional Shapley values: f(x) minus the mean of f over the
    background is divided among the columns; columns that are left out take their values from the
    background. They are exact for sums of products of kernels of single columns: RBF, Laplacian,
    linear and polynomial kernels, ``.on`` products, kernels of categories and of tables with
    missing values. Rational quadratic and Matérn kernels are mixtures of Gaussians by a quadrature
    of known error. Other kernels, and other models, are sampled, with standard errors.

    For strings, texts and graphs whose kernel has an explicit feature map it computes what each
    position, word or node adds to f(x); with other kernels of strings and texts these values are
    sampled. See `PartExplanation`.

    Parameters
    ----------
    model : fitted estimator, pipeline or function of rows
        The model. Of classifiers the decision function or the log-odds are explained, never
        probabilities; of Gaussian processes the mean.
    X : array-like, data frame or collection
        The samples to explain.
    background : array-like or data frame, optional
        The rows to compare with, with the columns of X: a sample of the population that the mean is
        taken over. By default 100 training rows that were drawn at random, where the model has
        ``background_``, as automatic ones have, and else 100 of the training samples that it
        keeps; of support vector machines these are support vectors, which are no sample of the
        population.
    groups : dict of str to list of columns, optional
        Columns that count as one, such as the indicators of a category.
    interactions : bool, default=False
        Whether to compute interactions of two columns as well.
    samples : int, default=1000
        The least number of orders of columns for every row, where values are sampled.
    random_state : int, RandomState or None, default=0
        What draws orders, and the default background.

    Returns
    -------
    Explanation or PartExplanation
        The contributions.

    References
    ----------
    .. [1] L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II
           (1953) 307-317.
    .. [2] S. M. Lundberg and S.-I. Lee, "A unified approach to interpreting model predictions",
           Advances in Neural Information Processing Systems 30 (2017).

    Examples
    --------
    >>> from mercer import SVC, explain
    >>> X = [[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 0.0]]
    >>> model = SVC(kernel="RBF()").fit(X, [0, 0, 1, 1])
    >>> explanation = explain(model, X[:1], background=X)
    >>> [round(float(abs(value)), 3) for value in explanation.values[0]]
    [0.993, 0.007]
    """
    integer(1).check("samples", samples)
    rng = np.random.default_rng(_seed(random_state))
    found = _explained(model, X, background, groups, interactions, samples, rng)
    found.quantity += _sides(model, found)
    return found


def _sides(model: Estimator, found: Explanation | PartExplanation) -> str:
    """Of two classes, which one positive values speak for."""
    classes: Any = getattr(model, "classes_", ())
    if found.output_names or found.quantity == PREDICTION or np.shape(classes) != (2,):
        return ""
    return f" of {classes[1]} against {classes[0]}"


def _explained(
    model: Estimator,
    X: RawSamples,
    background: RawSamples,
    groups: Groups,
    interactions: bool,
    samples: int,
    rng: np.random.Generator,
) -> Explanation | PartExplanation:
    """The contributions of columns or of parts."""
    X, function = as_table(X), _function_of(model)
    if raw_length(X) == 0:
        raise EmptyInputError("X", "no samples", "has nothing to explain", "give some")
    if function is not None and not is_table(rows := function.read(X)):
        with contextlib.suppress(NotSeparableError):
            return explain_parts(function, X)
        if not has_letters(function, rows):
            return explain_parts(function, X)  # which says what is wrong
        return explain_letters(function, rows, background, samples, rng)
    if background is None:
        X, background = _by_default(model, function, X, rng)
    X, background = _checked(X, background)
    if function is None or function.exact:
        question = _question(model, function, X, background, groups)
        return question.answer(interactions, samples, rng)
    exact, question = corrected(output_function(model), function, X, background, groups)
    rest = question.answer(interactions, samples, rng)
    return rest.plus(exact)


def _question(
    model: Estimator,
    function: LearnedFunction | None,
    X: RawSamples,
    background: RawSamples,
    groups: Groups,
) -> Question:
    """The question about a learned function of rows, or about the outputs of a model."""
    if isinstance(model, Pipeline) and function is not None:
        function = function if goes_by_columns(function, X, background) else None
    if function is not None:
        return Question.of(function, X, background, groups)
    output = output_function(model)
    return Question(output, output.quantity, output.names, X, background, groups)


def explain_quickly(
    model: Estimator, X: RawSamples, background: RawSamples
) -> Explanation | PartExplanation:
    """Explain rows where that is exact or nearly so; else raise `NotSeparableError`."""
    function = _function_of(model)
    if function is None:
        rule = "is not known to be a sum over training samples"
        raise NotSeparableError("model", model, rule)
    if not is_table(function.read(X)):
        return explain_parts(function, X)
    answer = Question.of(function, X, background, None).exact_answer()
    return answer if function.exact else explain(model, X, background=background, samples=_FEW)


def _function_of(model: Estimator) -> LearnedFunction | None:
    """The function of a fitted model; None where only its outputs are known."""
    if hasattr(model, "_check_fitted"):
        model._check_fitted()
    elif isinstance(model, BaseEstimator):
        check_is_fitted(model)
    if getattr(model, "kernel", None) == "precomputed":
        rule, remedy = "knows no columns", "fit the model with the kernel itself"
        raise ParameterError("kernel", "precomputed", rule, remedy)
    return learned_function(model)


def _checked(X: RawSamples, background: RawSamples) -> tuple[RawSamples, RawSamples]:
    """Rows of a table, and others that have their columns."""
    if not is_table(X):
        rule = "has neither columns nor a kernel with known parts"
        raise InputTypeError("X", type(X).__name__, rule, "give rows of a table")
    background = as_table(background)
    check_background(X, background)
    return X, background


def _by_default(
    model: Estimator, function: LearnedFunction | None, X: RawSamples, rng: np.random.Generator
) -> tuple[RawSamples, RawSamples]:
    """The rows to explain, and training samples that the model keeps.

    Automatic models keep rows as they were given; columns of X that these lack are not read.
    """
    kept = getattr(model, "background_", None)
    if kept is not None:
        if hasattr(X, "columns") and hasattr(kept, "columns"):
            X = X[[name for name in X.columns if name in kept.columns]]
        return X, kept
    is_changed = isinstance(model, Pipeline) and len(model.steps) > 1
    if function is None or is_changed or function.parts[0].owners is not None:
        rule, remedy = "is needed: the model keeps no rows", "give about 100 training rows"
        raise ParameterError("background", ABSENT, rule, remedy)
    samples = function.parts[0].samples
    some = rng.permutation(raw_length(samples))[:_DEFAULT_ROWS]
    return X, pick_rows(samples, np.sort(some))


def _seed(random_state: RandomState) -> Any:
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return random_state
