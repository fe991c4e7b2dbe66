"""What an inference writes: the draws as tables, the answer, the page, and its figures; all of it or nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from accountant.commands import Form, new_folder, write_page, write_table
from accountant_posterior.inference.answer import Inference, data_of
from accountant_posterior.inference.page import document_of, figures_of


def write_inference(inference: Inference, folder: Path, form: Form) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    with new_folder(folder) as draft:
        for number, item in enumerate(inference.found, start=1):
            rows, chains = item.parameters[0].draws.shape
            columns = {
                "chain": np.tile(np.arange(1, chains + 1), rows),
                "iteration": np.repeat(np.arange(1, rows + 1), chains),
                **{one.name.replace(" ", "_"): one.draws.ravel() for one in item.parameters},
            }
            write_table(columns, draft / f"inference-draws-{number}.{form}", form)
        write_page("inference", draft, data_of(inference), document_of(inference), figures_of(inference))
