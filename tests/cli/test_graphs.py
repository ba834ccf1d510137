"""Folders of graphs on the command line."""


def write(folder):
    """Rings and stars of several sizes, in the format of TUDataset."""
    edges, owners, classes = [], [], []
    for number in range(24):
        size, first = 5 + number // 2 % 4, len(owners) + 1
        for node in range(size):
            other = (node + 1) % size if number % 2 else 0
            if node != other:
                edges.append((first + node, first + other))
        owners += [number + 1] * size
        classes.append(number % 2)
    folder.mkdir()
    both = [*edges, *(edge[::-1] for edge in edges)]
    parts = {
        "A": [f"{u}, {v}" for u, v in both],
        "graph_indicator": owners,
        "graph_labels": classes,
    }
    for part, lines in parts.items():
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"{folder.name}_{part}.txt").write_text(text)


def test_fit_and_predict_without_a_kernel(tmp_path, mercer):
    write(tmp_path / "SHAPES")
    said = mercer("fit", "SHAPES", "--quick", "--no-assess")
    assert said.code == 0, said.err
    assert "24 graphs of 5 to 8 nodes" in said.out
    assert (tmp_path / "SHAPES.html").exists()
    said = mercer("predict", "SHAPES.mercer", "SHAPES")
    assert said.code == 0, said.err
    assert said.out.split()[1:] == ["0", "1"] * 12


def test_a_missing_file_is_one_line(tmp_path, mercer):
    write(tmp_path / "SHAPES")
    (tmp_path / "SHAPES" / "SHAPES_graph_indicator.txt").unlink()
    said = mercer("fit", "SHAPES")
    assert said.code != 0 and "has no file SHAPES_graph_indicator.txt" in said.err
