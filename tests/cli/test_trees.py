"""Trees on the command line."""

import json


def test_fit_and_predict(mercer, tmp_path):
    verbs = ["sees", "hears", "likes"]
    active = [f"(S (NP {noun}) (VP (V {verb}) (NP it)))" for noun in "abcd" for verb in verbs]
    passive = [tree.replace("(VP (V", "(VP (AUX is) (V") for tree in active]
    labels = ["active"] * 12 + ["passive"] * 12
    rows = zip(active + passive, labels, strict=True)
    lines = [json.dumps({"tree": tree, "label": label}) for tree, label in rows]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    said = mercer("fit", "s.jsonl", "--quick", "--kernel", "SubsetTrees(0.4)", "--learner", "svc")
    assert said.code == 0 and "24 trees" in said.out and "100.0 %" in said.out
    assert "(S (NP" in (tmp_path / "s.html").read_text()
    said = mercer("predict", "s.mercer", "s.jsonl")
    assert said.out.split()[1:] == labels
    (tmp_path / "t.jsonl").write_text('{"tree": "(S (NP a)"}')
    said = mercer("predict", "s.mercer", "t.jsonl")
    assert said.code != 0 and "position 0 is never closed" in said.err
