"""The figures of the studies whose samples are no points: texts, votes, graphs, trees, series."""

from __future__ import annotations

from typing import Any

_SVC = "SVC"

SAMPLES: tuple[dict[str, Any], ...] = (
    {
        "name": "headlines",
        "title": "Oil and grain: texts by their substrings",
        "text": "Invented headlines of two topics. The spectrum kernel counts common substrings of "
        "four letters and knows no words. Point at a dot to read the headline.",
        "chapter": "samples/strings",
        "space": "samples",
        "samples": "headlines",
        "task": "classes",
        "variants": (
            ("substrings", "Spectrum(length=4).normalize()", _SVC, {"C": 10.0}),
            ("words", "TfIdf()", _SVC, {"C": 10.0}),
            ("subsequences", "Subsequence(length=3).normalize()", _SVC, {"C": 10.0}),
        ),
        "study": 5,
        "show": "components",
    },
    {
        "name": "votes",
        "title": "Missing votes, nothing imputed",
        "text": "Sixteen votes of 435 members of the House of 1984; 392 are missing. The kernel "
        "is an expectation over what the missing votes may have been.",
        "chapter": "samples/tables",
        "space": "samples",
        "samples": "votes",
        "task": "classes",
        "variants": (
            ("expectation", "MissingAware(Overlap())", _SVC, {"C": 2.0}),
            ("most frequent vote", "ModeFilled(Overlap())", _SVC, {"C": 2.0}),
            ("who voted at all", "SharedMissingness()", _SVC, {"C": 2.0}),
        ),
        "study": 6,
        "show": "components",
    },
    {
        "name": "promoters",
        "title": "Promoters of E. coli",
        "text": "106 pieces of DNA, 57 letters each: half of them are where a gene begins. "
        "Kernels of strings compare them place by place, or wherever a word stands.",
        "chapter": "samples/strings",
        "space": "samples",
        "samples": "promoters",
        "task": "classes",
        "variants": (
            ("place by place", "WeightedDegree(length=3)", _SVC, {"C": 1.0}),
            ("anywhere", "Spectrum(length=3).normalize()", _SVC, {"C": 1.0}),
            ("with mismatches", "Mismatch(length=4, mismatches=1).normalize()", _SVC, {"C": 1.0}),
        ),
        "study": 7,
        "show": "components",
    },
    {
        "name": "karate",
        "title": "Diffusion on a graph: the karate club",
        "text": "Samples are the nodes of a graph. The diffusion kernel says how much of what "
        "starts at one node arrives at another; the map shows how the club split.",
        "chapter": "samples/nodes",
        "space": "samples",
        "samples": "karate",
        "task": "classes",
        "variants": (
            ("Laplacian", "LaplacianDiffusion(club, t=0.5).normalize()", _SVC, {"C": 10.0}),
            ("adjacency", "Diffusion(club, t=0.3).normalize()", _SVC, {"C": 10.0}),
            ("common neighbors", "CommonNeighbours(club)", _SVC, {"C": 10.0}),
        ),
        "study": 9,
        "show": "components",
    },
    {
        "name": "functions",
        "title": "Which functions have a loop?",
        "text": "Functions of Python's library as syntax trees, compared by all fragments that "
        "they share. Nobody has to choose features.",
        "chapter": "samples/trees",
        "space": "samples",
        "samples": "functions",
        "task": "classes",
        "variants": (
            ("fragments", "SubsetTrees(decay=0.4)", _SVC, {"C": 10.0}),
            ("whole subtrees", "Subtrees(decay=0.8)", _SVC, {"C": 10.0}),
        ),
        "study": 13,
        "show": "components",
    },
    {
        "name": "series",
        "title": "Series: one bump or two",
        "text": "Curves of unequal lengths. All alignments of two curves are summed, so that a "
        "bump may come early or late; warping alone is refuted.",
        "chapter": "samples/series",
        "space": "samples",
        "samples": "series",
        "task": "classes",
        "variants": (
            ("all alignments", "GlobalAlignment(length_scale=0.5)", _SVC, {"C": 10.0}),
            ("signature", "Signature(levels=4)", _SVC, {"C": 10.0}),
            (
                "the best alignment",
                "DynamicTimeWarping()",
                "KernelNeighborsClassifier",
                {"n_neighbors": 3.0},
            ),
        ),
        "study": 14,
        "show": "components",
    },
    {
        "name": "rings",
        "title": "Molecules as graphs",
        "text": "Chains of atoms, and chains that close to a ring, drawn at random. The "
        "Weisfeiler-Lehman kernel counts equal surroundings of atoms.",
        "chapter": "samples/graphs",
        "space": "samples",
        "samples": "rings",
        "task": "classes",
        "variants": (
            ("surroundings", "WeisfeilerLehman(depth=3).normalize()", _SVC, {"C": 10.0}),
            ("shortest paths", "ShortestPaths().normalize()", _SVC, {"C": 10.0}),
            ("small pieces", "Graphlets(size=4).normalize()", _SVC, {"C": 10.0}),
        ),
        "study": 15,
        "show": "components",
    },
)
