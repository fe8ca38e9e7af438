"""Any OpenAI-compatible embeddings endpoint (`POST …/v1/embeddings`).

The address comes from the settings alone and redirects are not followed, so nothing that is stored or asked can send
a request elsewhere. A failure is an EmbeddingUnavailable with advice; no other model steps in.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import httpx
import numpy as np

from console import endpoints
from memories.embedding import NAME_LIMIT, EmbeddingUnavailable, TextRefused, Vectors, checked

CHARACTERS = 8_000  # sent of one text; most models read less
BATCH = 32  # texts in one request
ANSWER_BYTES = 64_000_000
DIMENSION_LIMIT = 4_000  # halfvec columns are indexed up to this length
OF_THE_TEXT = (400, 413, 422)  # what servers answer to a text that is too long, but to a wrong model, too
TIMEOUT = httpx.Timeout(60.0, connect=5.0)  # seconds
UNLIKE = (  # texts that have nothing to do with one another; their mean cosine is the model's floor
    "The kettle in the office kitchen leaks.",
    "A comet was photographed over the southern sky.",
    "Invoices are paid within thirty days.",
    "She plays the cello on Thursdays.",
    "The build failed because a certificate had run out.",
    "Penguins share the warmth of the group.",
    "My grandmother's soup has too much pepper.",
    "The mayor opened a new tram line.",
)


class HttpEmbedder:
    """Vectors from `url`, whose dimension and floor are learnt from its first answer.

    With `input_type` each request says whether its texts are queries or documents, which some servers need and
    others refuse.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str = "",
        input_type: bool = False,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> None:
        try:
            self._url = endpoints.completed("EMBEDDING_URL", url, endpoints.EMBEDDINGS)
        except ValueError as error:
            raise EmbeddingUnavailable(str(error)) from None
        if not model or len(model) > NAME_LIMIT:
            raise EmbeddingUnavailable(
                f"EMBEDDING_MODEL must name the model that EMBEDDING_URL serves, in 1 to {NAME_LIMIT} characters."
            )
        self.name = model
        self._input_type = input_type
        self._known: tuple[int, float] | None = None
        self._learning = threading.Lock()
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=timeout,
            follow_redirects=False,
            trust_env=False,
        )

    @property
    def dimension(self) -> int:
        """Length of a vector, as the endpoint first answered."""
        return self._learnt()[0]

    @property
    def floor(self) -> float:
        """Mean cosine of eight unlike texts."""
        return self._learnt()[1]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (n, dimension)."""
        dimension = self.dimension
        parts = []
        for at in range(0, len(texts), BATCH):
            chunk = texts[at : at + BATCH]
            parts.append(checked(self._ask(chunk, "passage"), len(chunk), dimension, source=self._who))
        return np.concatenate(parts) if parts else np.empty((0, dimension), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question, shape (dimension,)."""
        dimension = self.dimension
        vector: Vectors = checked(self._ask([text], "query"), 1, dimension, source=self._who)[0]
        return vector

    def close(self) -> None:
        """Close the connections that are kept open between requests."""
        self._client.close()

    @property
    def _who(self) -> str:
        return f"The embedding endpoint {self._url}"

    def _learnt(self) -> tuple[int, float]:
        with self._learning:
            if self._known is None:
                questions, texts = self._ask(UNLIKE, "query"), self._ask(UNLIKE, "passage")
                dimension = texts.shape[1]
                if not 1 <= dimension <= DIMENSION_LIMIT:
                    raise EmbeddingUnavailable(
                        f"{self._who} makes vectors of length {dimension}; the console stores 1 to "
                        f"{DIMENSION_LIMIT}. Choose another EMBEDDING_MODEL."
                    )
                left = checked(questions, len(UNLIKE), dimension, source=self._who)
                right = checked(texts, len(UNLIKE), dimension, source=self._who)
                cosines = (left @ right.T)[~np.eye(len(UNLIKE), dtype=bool)]
                self._known = dimension, min(float(cosines.mean()), 0.99)
            return self._known

    def _ask(self, texts: Sequence[str], kind: str) -> Vectors:
        body: dict[str, Any] = {
            "model": self.name,
            "input": [text[:CHARACTERS].encode("utf-8", "replace").decode("utf-8") or " " for text in texts],
            "encoding_format": "float",
        }
        if self._input_type:
            body["input_type"] = kind
        return self._vectors(self._post(body), len(texts))

    def _post(self, body: dict[str, Any]) -> bytes:
        received, host = bytearray(), httpx.URL(self._url).host
        if endpoints.hands_out_keys(host):
            raise EmbeddingUnavailable(endpoints.advice("EMBEDDING_URL", host))
        try:
            with self._client.stream("POST", self._url, json=body) as response:
                if response.status_code != 200:
                    refusal = TextRefused if response.status_code in OF_THE_TEXT else EmbeddingUnavailable
                    raise refusal(f"{self._who} answered {response.status_code}. {_advice(response)}")
                for part in response.iter_bytes():
                    received += part
                    if len(received) > ANSWER_BYTES:
                        raise EmbeddingUnavailable(f"{self._who} sent more than {ANSWER_BYTES} bytes. Check its log.")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbeddingUnavailable(
                f"{self._who} does not answer ({type(error).__name__}). Start it, or correct EMBEDDING_URL."
            ) from error
        return bytes(received)

    def _vectors(self, answer: bytes, count: int) -> Vectors:
        """The answer's vectors in the order of the texts."""
        try:
            data = json.loads(answer)["data"]
            ordered = sorted(data, key=lambda item: item["index"])
            if [item["index"] for item in ordered] != list(range(count)):
                raise ValueError("indexes")
            vectors = np.array([item["embedding"] for item in ordered], dtype=np.float32)
            if vectors.ndim != 2:
                raise ValueError("shape")
        except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
            raise EmbeddingUnavailable(
                f"{self._who} did not answer {count} texts with {count} vectors of numbers. Check that EMBEDDING_URL "
                "is an OpenAI-compatible embeddings endpoint and EMBEDDING_MODEL one of its embedding models."
            ) from error
        return vectors


def _advice(response: httpx.Response) -> str:
    if response.status_code in (401, 403):
        return "Set EMBEDDING_API_KEY to a key that it accepts."
    if response.status_code in (301, 302, 303, 307, 308):
        return "Redirects are not followed: set EMBEDDING_URL to the final address."
    if response.status_code in (404, 405):
        return "Check the path of EMBEDDING_URL and the name in EMBEDDING_MODEL."
    if response.status_code in (400, 422):
        return "Check EMBEDDING_MODEL and what the server says about the request in its log."
    if response.status_code == 429:
        return "It limits the rate; what is pending is tried again later."
    return "Look at its log and try again."
