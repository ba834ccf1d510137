"""Proof trees are those of certificates, and witnesses refute by hand."""

from __future__ import annotations

import numpy as np

from mercer import RBF, Linear, Periodic, Sigmoid, parse
from mercer.studio.kernel.proofs import prove
from mercer.studio.lessons.samples import collection


def test_the_tree_is_that_of_the_certificate():
    kernel = RBF() * Linear() + Periodic()
    proof, certificate = prove(kernel, 1), kernel.certificate(1)
    assert proof["status"] == certificate.status and "witness" not in proof
    claims = [part["claim"] for part in proof["tree"]["parts"]]
    assert claims == [part.claim for part in certificate.parts]


def test_a_witness_can_be_checked_by_hand():
    for text in ("Sigmoid()", "RBF() - 0.5 * Linear()"):
        kernel = parse(text)
        proof = prove(kernel, 2)
        found = proof["witness"]
        c, K = np.array(found["coefficients"]), np.array(kernel(np.array(found["points"])))
        assert proof["status"] == "indefinite" and c @ K @ c < 0
        np.testing.assert_allclose(c @ K @ c, found["value"], rtol=1e-6)
        np.testing.assert_allclose(found["matrix"], K, atol=1e-5)


def test_samples_are_searched_where_the_space_is_not_known():
    X = [np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0])]
    proof = prove(parse("DynamicTimeWarping()"), None, X)
    assert proof["status"] == "indefinite"


def test_what_is_proved_has_no_witness():
    assert "witness" not in prove(Linear(), 3)
    assert prove(Sigmoid(), 1)["words"] == "not positive semi-definite"


def test_the_graph_has_the_name_that_the_expression_gives_it():
    club = collection("karate").objects["club"]
    kernel = parse("LaplacianDiffusion(club, t=0.5).normalize()", {"club": club})
    tree = prove(kernel, None, graph="club")["tree"]
    assert tree["claim"] == "LaplacianDiffusion(club, t=0.5).normalize()"
    assert tree["parts"][0]["claim"] == "LaplacianDiffusion(club, t=0.5)"
