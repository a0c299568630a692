-- Times are milliseconds since 1970, UTC; NULL is none. IDs are never given twice.

-- +goose Up
CREATE TABLE accounts (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    email         TEXT    NOT NULL UNIQUE,
    password      TEXT    NOT NULL, -- hash; empty: none
    plan          TEXT    NOT NULL,
    limits        TEXT,             -- JSON; NULL: the plan's
    role          TEXT    NOT NULL,
    banned        BOOLEAN NOT NULL,
    viewer_key    BLOB,
    viewer_key_at BIGINT,
    created_at    BIGINT  NOT NULL,
    closed_at     BIGINT,
    closing       BOOLEAN NOT NULL  -- closed, and something is to be removed
);

CREATE INDEX accounts_by_role ON accounts (role, id) WHERE role <> '';
CREATE INDEX accounts_banned ON accounts (id) WHERE banned;
CREATE INDEX accounts_closing ON accounts (id) WHERE closing;

CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    hash       BLOB    NOT NULL UNIQUE,
    label      TEXT    NOT NULL,
    by_ticket  BOOLEAN NOT NULL,
    created_at BIGINT  NOT NULL,
    used_at    BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL
);
CREATE INDEX sessions_of_account ON sessions (account);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Secrets that are good once: links that sign in, set a password, invite.
CREATE TABLE tickets (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    purpose    TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE,
    account    BIGINT  NOT NULL, -- 0: none yet
    email      TEXT    NOT NULL,
    plan       TEXT    NOT NULL,
    invited_by BIGINT  NOT NULL, -- 0: the operator
    created_at BIGINT  NOT NULL,
    expires_at BIGINT,
    UNIQUE (purpose, email)
);
CREATE INDEX tickets_by_email ON tickets (email);
CREATE INDEX tickets_of_account ON tickets (account) WHERE account <> 0;
CREATE INDEX tickets_by_expiry ON tickets (expires_at);

-- Tries at passwords and the like. The key is a keyed hash of what they count against.
CREATE TABLE guesses (
    id  INTEGER PRIMARY KEY AUTOINCREMENT,
    key BLOB    NOT NULL,
    at  BIGINT  NOT NULL
);
CREATE INDEX guesses_by_key ON guesses (key, at);
CREATE INDEX guesses_by_time ON guesses (at);

CREATE TABLE keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    name       TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE,
    last4      TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    used_at    BIGINT,
    revoked_at BIGINT,
    expires_at BIGINT
);
CREATE INDEX keys_of_account ON keys (account, created_at, id);

CREATE TABLE uploads (
    id              TEXT    PRIMARY KEY,
    account         BIGINT  NOT NULL REFERENCES accounts (id),
    idempotency_key TEXT    NOT NULL,
    replaced        BOOLEAN NOT NULL,
    name            TEXT    NOT NULL,
    type            TEXT    NOT NULL,
    size            BIGINT  NOT NULL,
    slug            TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    hold_until      BIGINT,
    link            BIGINT  NOT NULL,
    failure         TEXT,             -- JSON
    site            BIGINT  NOT NULL  -- 0: none
) WITHOUT ROWID;
CREATE UNIQUE INDEX uploads_by_key ON uploads (account, idempotency_key) WHERE NOT replaced AND idempotency_key <> '';
CREATE INDEX uploads_of_account ON uploads (account, created_at);
CREATE INDEX uploads_held ON uploads (account, hold_until, size, site) WHERE state = 'open';
CREATE INDEX uploads_by_slug ON uploads (slug, hold_until) WHERE state = 'open' AND slug <> '';
CREATE INDEX uploads_by_state ON uploads (state, created_at, id);

CREATE TABLE links (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    account        BIGINT  NOT NULL REFERENCES accounts (id),
    upload         TEXT    NOT NULL,
    slug           TEXT    NOT NULL,
    title          TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    type           TEXT    NOT NULL,
    kind           TEXT    NOT NULL,
    size           BIGINT  NOT NULL,
    sha256         TEXT    NOT NULL,
    pages          BIGINT  NOT NULL,
    allow_download BOOLEAN NOT NULL,
    state          TEXT    NOT NULL,
    reason         TEXT    NOT NULL,
    detail         TEXT    NOT NULL,
    scanned        TEXT    NOT NULL, -- signatures
    created_at     BIGINT  NOT NULL,
    state_at       BIGINT,
    deleted_at     BIGINT,
    has_bytes      BOOLEAN NOT NULL,
    parts          TEXT    NOT NULL,
    preview        TEXT    NOT NULL,
    site           BIGINT  NOT NULL, -- the website that it is a version of; 0: none
    files          BIGINT  NOT NULL, -- of a version
    words          TEXT    NOT NULL  -- title, name and slug, folded: what a search looks through, and the order by title
);
CREATE UNIQUE INDEX links_by_slug ON links (slug) WHERE slug <> '';
-- The order of an account's list, and what its links and their bytes are counted from.
-- What an account's report reads of every link (LinkFacts), in one place.
CREATE INDEX links_facts ON links (account, id, kind, pages, created_at) WHERE deleted_at IS NULL AND site = 0;
CREATE INDEX links_of_account ON links (account, created_at, id, deleted_at, has_bytes, size, site) WHERE deleted_at IS NULL;
CREATE INDEX links_by_state ON links (state, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX links_preview_due ON links (created_at, id) WHERE preview = '' AND state IN ('live', 'review') AND has_bytes AND deleted_at IS NULL;
CREATE INDEX links_in_review ON links (state, state_at, id, reason) WHERE state = 'review' AND deleted_at IS NULL;
CREATE INDEX links_by_sha256 ON links (sha256, created_at, id) WHERE sha256 <> '';
CREATE INDEX links_to_scan ON links (state, id, scanned) WHERE has_bytes AND deleted_at IS NULL;
CREATE INDEX links_deleted ON links (deleted_at, has_bytes, slug) WHERE deleted_at IS NOT NULL;
-- What an account's search reads of every link, in the order of titles.
CREATE INDEX links_words ON links (account, words, id, kind, state, created_at, size, site) WHERE deleted_at IS NULL;
CREATE INDEX links_of_site ON links (site, created_at, id) WHERE site <> 0 AND deleted_at IS NULL;

-- Slugs that links had before: they lead to them until a time.
CREATE TABLE old_slugs (
    slug       TEXT   PRIMARY KEY,
    link       BIGINT NOT NULL REFERENCES links (id),
    until_time BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX old_slugs_of_link ON old_slugs (link, until_time);
CREATE INDEX old_slugs_by_time ON old_slugs (until_time);

CREATE TABLE sites (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    slug       TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    current    BIGINT  NOT NULL, -- links; 0: none
    pending    BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL,
    deleted_at BIGINT
);
CREATE UNIQUE INDEX sites_by_slug ON sites (slug) WHERE slug <> '';
CREATE INDEX sites_of_account ON sites (account, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX sites_deleted ON sites (deleted_at) WHERE deleted_at IS NOT NULL AND slug <> '';

CREATE TABLE albums (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    slug       TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    deleted_at BIGINT
);
CREATE UNIQUE INDEX albums_by_slug ON albums (slug) WHERE slug <> '';
CREATE INDEX albums_of_account ON albums (account, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX albums_deleted ON albums (deleted_at) WHERE deleted_at IS NOT NULL AND slug <> '';

-- What is in an album, in the order of places, which may have gaps.
CREATE TABLE album_links (
    album BIGINT NOT NULL REFERENCES albums (id),
    place BIGINT NOT NULL,
    link  BIGINT NOT NULL REFERENCES links (id),
    PRIMARY KEY (album, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX album_links_once ON album_links (album, link);
CREATE INDEX album_links_of_link ON album_links (link);

-- The history: it stays when a link is deleted.
CREATE TABLE changes (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    at            BIGINT  NOT NULL,
    actor         TEXT    NOT NULL,
    actor_account BIGINT  NOT NULL, -- 0: none
    action        TEXT    NOT NULL,
    account       BIGINT  NOT NULL REFERENCES accounts (id),
    link          BIGINT  NOT NULL, -- 0: the account itself
    state_from    TEXT    NOT NULL,
    state_to      TEXT    NOT NULL,
    reason        TEXT    NOT NULL,
    detail        TEXT    NOT NULL,
    note          TEXT    NOT NULL
);
CREATE INDEX changes_of_link ON changes (link, id) WHERE link <> 0;
CREATE INDEX changes_of_account ON changes (account, id) WHERE action <> 'create';
CREATE INDEX changes_by_people ON changes (id) WHERE actor IN ('owner', 'moderator', 'operator') AND action <> 'create';

CREATE TABLE abuse_reports (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    link     BIGINT  NOT NULL REFERENCES links (id),
    reporter BIGINT  NOT NULL, -- 64 bits, signed here
    reason   TEXT    NOT NULL,
    note     TEXT    NOT NULL,
    at       BIGINT  NOT NULL,
    replaced BOOLEAN NOT NULL
);
CREATE INDEX abuse_reports_of_link ON abuse_reports (link, at);
CREATE INDEX abuse_reports_by_reporter ON abuse_reports (reporter, at);
CREATE INDEX abuse_reports_by_time ON abuse_reports (at);

-- Who does what work, of those who could.
CREATE TABLE leases (
    name       TEXT   PRIMARY KEY,
    holder     TEXT   NOT NULL,
    until_time BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX leases_by_time ON leases (until_time);

-- Messages on their way. What was sent is removed.
CREATE TABLE letters (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT    NOT NULL,
    recipient  TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT,
    tries      BIGINT  NOT NULL,
    next_at    BIGINT  NOT NULL
);
CREATE INDEX letters_by_time ON letters (next_at, id);

CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB
) WITHOUT ROWID;
