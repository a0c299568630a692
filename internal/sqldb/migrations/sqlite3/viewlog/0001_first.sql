-- An open's id holds its time. Blobs are described in record.go, words in words.go.

-- +goose Up
-- What was counted of each link that was ever opened. A link that is being erased has account 0.
CREATE TABLE links (
    link      INTEGER PRIMARY KEY,
    account   BIGINT NOT NULL,
    views     BIGINT NOT NULL,
    downloads BIGINT NOT NULL
);
CREATE INDEX links_of_account ON links (account);

-- The strings that opens refer to by number.
CREATE TABLE words (
    id   INTEGER PRIMARY KEY,
    word BLOB NOT NULL UNIQUE
);

CREATE TABLE opens (
    link    BIGINT NOT NULL,
    id      BIGINT NOT NULL,
    open    BLOB   NOT NULL,
    session BLOB,               -- NULL: no engagement data
    PRIMARY KEY (link, id)
) WITHOUT ROWID;

-- How many opens of a link by people, imported ones apart, a viewer has. One that has none has no row.
CREATE TABLE viewers (
    link   BIGINT NOT NULL,
    viewer BIGINT NOT NULL,
    opens  BIGINT NOT NULL,
    PRIMARY KEY (link, viewer)
) WITHOUT ROWID;

CREATE TABLE downloads (
    link BIGINT NOT NULL,
    id   BIGINT NOT NULL,
    open BIGINT NOT NULL,
    PRIMARY KEY (link, id)
) WITHOUT ROWID;
CREATE INDEX downloads_of_open ON downloads (link, open);

-- How far files were imported.
CREATE TABLE imports (
    file  BLOB   PRIMARY KEY, -- SHA-256
    lines BIGINT NOT NULL,
    at    BIGINT NOT NULL     -- ms
) WITHOUT ROWID;
