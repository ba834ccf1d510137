"""
Diffusion on a network: the karate club
=======================================

Thirty-four members of a club, and who met whom outside it. The instructor (0) and the administrator (33) fell out and
the club split in two; which side did the others take? Two labels and the diffusion kernel exp(tB) tell, B the matrix
of acquaintances. The lecture defines the kernel and has no example; the network is Zachary's, as it comes with
networkx.

The lecture takes t below 1. The exponential is a kernel for every real t, but what it says changes: for large t it is
nearly the rank-one matrix of the first eigenvector of B, which looks at how well connected a member is and no longer
at whom with. The lecture reads B² as counts of common friends: it counts walks of two steps, which on the diagonal go
there and back.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from mercer import SVC, Diffusion, LaplacianDiffusion

plt.style.use("tableau-colorblind10")

club = nx.karate_club_graph()
B = nx.to_numpy_array(club, weight=None)
side = np.array([club.nodes[member]["club"] for member in club])
members = list(range(len(B)))
LEADERS = [0, 33]

# %%
# A support vector machine is shown the two leaders and decides on all. Three kernels: exp(tB), the same scaled to
# k(x,x) = 1, and exp(−tL) with the Laplacian in place of B, in which heat is neither made nor lost.


def decision(kernel):
    model = SVC(kernel=kernel, C=1e6).fit(LEADERS, side[LEADERS])
    values = model.decision_function(members)
    return values, np.flatnonzero(model.predict(members) != side)


def told(wrong):
    shown = ", ".join(map(str, wrong[:4])) + (", …" if len(wrong) > 4 else "")
    return f"{len(B) - len(wrong)} ({shown or 'all'})"


print(f"right of {len(B)}, and the members that are wrong")
print(f"{'t':>5}{'exp(tB)':>24}{'exp(tB), scaled':>24}{'exp(−tL)':>24}")
for t in (0.05, 0.1, 0.5, 1.0, 2.0, 5.0):
    kernels = (Diffusion(B, t=t), Diffusion(B, t=t).normalize(), LaplacianDiffusion(B, t=t))
    print(f"{t:5g}" + "".join(f"{told(decision(kernel)[1]):>24}" for kernel in kernels))

# %%
# Member 8 is the one that diffusion puts on the other side, and other methods too. Three of the five he met were on
# the administrator's side; Zachary reports that he stayed with the instructor because his examination for the black
# belt was three weeks away.

places = nx.kamada_kawai_layout(club, weight=None)
figure, axes = plt.subplots(1, 2, figsize=(14, 6), layout="constrained")
for ax, t in zip(axes, (0.5, 5.0)):
    values, wrong = decision(Diffusion(B, t=t))
    shade = np.clip(values / np.abs(values[LEADERS]).max(), -1, 1)
    nx.draw_networkx_edges(club, places, ax=ax, edge_color="0.75", width=0.8)
    style = {"vmin": -1, "vmax": 1, "cmap": "PuOr", "edgecolors": "0.3", "node_size": 330, "ax": ax}
    for shape, nodes in (
        ("s", LEADERS),
        ("o", [member for member in members if member not in LEADERS]),
    ):
        drawn = nx.draw_networkx_nodes(
            club, places, nodelist=nodes, node_color=shade[nodes], node_shape=shape, **style
        )
    ring = {"node_color": "none", "edgecolors": "black", "linewidths": 2.2, "node_size": 560}
    nx.draw_networkx_nodes(club, places, nodelist=wrong.tolist(), ax=ax, **ring)
    for node, (across, along) in places.items():
        ax.text(
            across,
            along,
            node,
            ha="center",
            va="center",
            fontsize=8,
            color="white" if abs(shade[node]) > 0.6 else "black",
        )
    ax.set_title(
        f"exp({t:g} B): {len(B) - len(wrong)} of {len(B)} right; squares are known, rings are wrong"
    )
    ax.axis("off")
bar = figure.colorbar(drawn, ax=axes, shrink=0.7)
bar.set_ticks([-1, 0, 1], labels=["instructor", "even", "administrator"])
