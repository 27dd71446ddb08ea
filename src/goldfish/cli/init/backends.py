"""The storages that goldfish knows, the words for their addresses, and what a factory needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from goldfish.cli.init.names import ProjectNames

URL = re.compile(r"(\w*_)?(url|uri|dsn|address|conn(ection)?_?(string|str)|database_url)", re.I)
FILE = re.compile(r"(\w*_)?(path|file|filename|db_file|db_path|database|location|db_name|db)", re.I)
FOLDER = re.compile(r"(\w*_)?(dir|directory|folder|root|base_path|data_path|base)", re.I)
# Packages by which storage is reached, and what goldfish calls it; the first that fits is taken.
BACKENDS: Mapping[str, str] = {
    "mem0": "mem0",
    "redis": "redis", "valkey": "redis", "aioredis": "redis", "fakeredis": "redis",
    "sqlmodel": "sql", "sqlalchemy": "sql", "flask_sqlalchemy": "sql",
    "asyncpg": "asyncpg", "psycopg": "psycopg", "psycopg2": "psycopg2", "psycopg_pool": "psycopg",
    "aiosqlite": "aiosqlite", "sqlite3": "sqlite3",
    "django": "django",
    "pymongo": "MongoDB", "motor": "MongoDB", "boto3": "DynamoDB", "google": "Google Cloud",
    "cassandra": "Cassandra", "elasticsearch": "Elasticsearch",
    "mysql": "MySQL", "pymysql": "MySQL",
    "beanie": "MongoDB", "mongoengine": "MongoDB", "supabase": "Supabase",
    "firebase_admin": "Google Cloud", "upstash_redis": "Upstash", "pinecone": "Pinecone",
    # Known by their names alone: a path is handed in, and what takes none is not opened.
    **{each: each for each in ("tortoise", "peewee", "pony", "ormar", "tinydb", "lmdb", "diskcache",
                               "dataset", "duckdb", "sqlite_utils", "chromadb", "qdrant_client")},
}  # fmt: skip
POSTGRES = {"asyncpg", "psycopg", "psycopg2"}
OWN_SERVERS = {"redis": "redis", **dict.fromkeys(POSTGRES, "postgres")}
NO_SERVER = {
    "Supabase",
    "Upstash",
    "Pinecone",
    "MongoDB",
    "DynamoDB",
    "Google Cloud",
    "Cassandra",
    "Elasticsearch",
    "MySQL",
}
NOWHERE = {"redis": "redis://127.0.0.1:1/0", "postgres": "postgresql://127.0.0.1:1/nowhere"}
PARTS = {"host": "hostname", "port": "port", "db": "path", "password": "password"}  # of a URL


@dataclass
class Place:
    """What the factory of a target needs beside the call that makes the memory."""

    services: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    before: list[str] = field(default_factory=list)  # lines of the factory
    early: list[str] = field(default_factory=list)  # lines before the project is imported
    names: ProjectNames = field(default_factory=ProjectNames)  # that the file imports
    awaits: bool = False
    is_placed: bool = False  # something of the sandbox is handed in
    around: str = ""  # a line with a block in which the memory is open
    session: str = ""  # the session of SQLAlchemy that each call gets anew
    claims: str = ""
    gaps: list[str] = field(default_factory=list)  # what is left to fill in

    def note(self, line: str) -> None:
        """Note a line of the factory, once, that leads the memory to the sandbox."""
        if line not in self.before:
            self.before.append(line)
        self.is_placed = True
