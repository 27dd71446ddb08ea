"""Makes minilm_reference.json: what the original all-MiniLM-L6-v2 makes of texts in many scripts.

Run it where torch and sentence-transformers are installed, with the directory of the model:

    python tests/data/make_minilm_reference.py "$(goldfish model path)"

The tests need neither: they compare with the vectors that are stored here.
"""

# ruff: noqa: RUF001 - letters of other scripts are what this is about

import base64
import json
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent

TEXTS = {
    "english": "I live in Berlin and like tea more than coffee.",
    "english, a question": "Where does the user live, and what do they drink?",
    "english, one word": "Goldfish",
    "english, shouted": "DO NOT DEPLOY ON FRIDAYS!!!",
    "english, numbers": "Order 8892 cost $1,234.56 on 2024-02-29 at 07:15.",
    "english, a paragraph": (
        "The quick brown fox jumps over the lazy dog; it was, after all, a quick fox. Nobody had "
        "told the dog, who slept through the afternoon and dreamt of slower foxes, of longer "
        "afternoons, and of a fence that would hold. When it woke, the fox had gone."
    ),
    "german": "Über den Straßen von Köln hängt müder Nebel.",
    "french": "L'élève naïf n'a pas reçu sa leçon de français à Noël.",
    "polish": "Zażółć gęślą jaźń, powiedział łoś.",
    "vietnamese": "Tôi thích uống cà phê sữa đá vào buổi sáng.",
    "turkish": "İstanbul'da ılık bir ilkbahar günüydü.",
    "decomposed accents": "cafe\u0301 nai\u0308ve A\u030angstro\u0308m",
    "russian": "Пользователь живёт в Москве и не ест мяса.",
    "ukrainian": "Її їжак п'є молоко щоранку.",
    "greek": "Ο χρήστης προτιμά τον καφέ χωρίς ζάχαρη.",
    "arabic": "يعيش المستخدم في القاهرة ويحب الشاي بالنعناع.",
    "arabic, pointed": "الْعَرَبِيَّةُ لُغَةٌ جَمِيلَةٌ",
    "hebrew": "המשתמש גר בתל אביב ואוהב קפה שחור.",
    "hindi": "उपयोगकर्ता दिल्ली में रहता है और चाय पसंद करता है।",
    "bengali": "ব্যবহারকারী ঢাকায় থাকেন।",
    "tamil": "பயனர் சென்னையில் வசிக்கிறார்.",
    "thai": "ผู้ใช้อาศัยอยู่ในกรุงเทพและชอบอาหารเผ็ด",
    "georgian": "მომხმარებელი თბილისში ცხოვრობს.",
    "armenian": "Օգտատերը ապրում է Երևանում։",
    "chinese": "用户住在北京，喜欢喝绿茶，不喜欢咖啡。",
    "chinese, traditional": "使用者偏好輕量級的網頁框架。",
    "japanese": "ユーザーは東京に住んでいて、抹茶が好きです。",
    "korean": "사용자는 서울에 살고 김치를 좋아합니다.",
    "mixed": "Python web框架 for Москва 東京 ☕ v2.1",
    "emoji": "👩‍👩‍👧‍👦 love 🐟🐠 and 🇩🇪 ❤️",
    "mathematics": "∀x ∈ ℝ: √(x²) = |x| ≤ ∞, ½ ≠ ⅓",
    "full width": "ＦＵＬＬ　ｗｉｄｔｈ　１２３",
    "code": "async def add(self, *, ttl: float | None = None) -> int:\n    return len(x[1:]) % 7",
    "sql": "'; DROP TABLE users; --",
    "json": '{"role": "tool", "tool_calls": [{"id": "a-17", "args": {"n": 1e-9}}]}',
    "url": "https://example.org/a/b?q=goldfish&page=2#top",
    "the tokenizer's own marks": "[CLS] is not [SEP] and [MASK] is not [PAD] ##ing",
    "empty": "",
    "spaces": " \t\n ",
    "control characters": "a\x00b\x07c\ufffdd\u200be\u00adf",
    "a word beyond 100 letters": "x" * 150 + " and then some",
    "as long as the window": "memory " * 254,
    "longer than the window": "the user said that item " + " ".join(map(str, range(400))),
    "long, chinese": "金鱼只有七秒钟的记忆。" * 40,
}


def main(directory: str) -> None:
    """Ask the original for all texts at once, as its users do."""
    sentence_transformers, torch = map(import_module, ("sentence_transformers", "torch"))
    model = sentence_transformers.SentenceTransformer(directory, device="cpu")
    assert model.max_seq_length == 256
    vectors = model.encode(list(TEXTS.values()), normalize_embeddings=True)
    made = f"sentence-transformers {sentence_transformers.__version__}, torch {torch.__version__}"
    rows = [
        {"about": about, "text": text, "vector": base64.b64encode(vector.tobytes()).decode()}
        for (about, text), vector in zip(TEXTS.items(), vectors, strict=True)
    ]
    told = {"made by": made, "vector": "float32, little-endian, base64", "texts": rows}
    (HERE / "minilm_reference.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
