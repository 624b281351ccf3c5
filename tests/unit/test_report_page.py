"""Report pages: what stands for long tables."""

from pathlib import Path

import pytest

from binyan.evaluation.table import Chart, Column, Table
from binyan.experiments.report_page import ReportSection, write


def _table(rows: int) -> Table:
    columns = [Column("model"), Column("x", ".0f"), Column("y", ".0f")]
    cells = [["ours", i, 1000 + i] for i in range(rows)]
    return Table("A curve", columns, cells, "model:toy", "A note.", Chart("lines", x="x", y=["y"], series="model"))


@pytest.mark.parametrize("rows, is_folded", [(30, False), (31, True)])
def test_the_plot_stands_for_the_rows_of_a_long_table(tmp_path: Path, rows: int, is_folded: bool) -> None:
    texts = [path.read_text() for path in write(tmp_path, "Toys", [ReportSection("Curves", tables=[_table(rows)])])]
    markdown, html = texts
    assert ("| 1029 |" not in markdown) == is_folded
    assert (f"<summary>{rows} rows</summary>" in html) == is_folded
    assert html.count("<td") == 3 * rows
    assert "plots/a-curve.svg" in markdown and "<svg" in html
    assert all("A note." in text and "model:toy" in text and "A curve" in text for text in texts)
