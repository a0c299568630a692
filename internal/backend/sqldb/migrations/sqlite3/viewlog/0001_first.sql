-- An open's id holds its time, days count from 1970. Blobs are described in record.go, pack.go, visits.go and stored.go,
-- words in words.go.

-- +goose Up
-- One row: the number of transactions that changed what is told of opens, and the number of the last run of visits that was begun.
CREATE TABLE log (
    id  INTEGER PRIMARY KEY,
    seq BIGINT NOT NULL,
    run BIGINT NOT NULL
);
INSERT INTO log (id, seq, run) VALUES (1, 0, 0);

-- How far the opens of an account are put away.
CREATE TABLE accounts (
    account INTEGER PRIMARY KEY,
    version BIGINT NOT NULL, -- another one whenever something before packed changes
    packed  BIGINT NOT NULL, -- day: opens of this day and later ones are in opens alone
    settled BIGINT NOT NULL, -- day: opens of earlier days are in packs alone
    stale   BIGINT NOT NULL, -- day: tallies of it and later ones are wrong or missing; settled: none
    begun   BIGINT NOT NULL, -- day: there may be tallies of days before it, right or wrong, and of no others
    forgotten BIGINT NOT NULL -- day, a multiple of 64: opens of earlier days are gone, their tallies are all there is
);

-- What was counted of each link that was ever opened. A link that is being erased has its account negated.
CREATE TABLE links (
    link      INTEGER PRIMARY KEY,
    account   BIGINT NOT NULL,
    views     BIGINT NOT NULL,
    downloads BIGINT NOT NULL
);
CREATE INDEX links_of_account ON links (account);

-- The strings that opens and tallies refer to by number.
CREATE TABLE words (
    id   INTEGER PRIMARY KEY,
    word BLOB NOT NULL UNIQUE
);

-- Opens as they come.
CREATE TABLE opens (
    link    BIGINT NOT NULL,
    id      BIGINT NOT NULL,
    open    BLOB   NOT NULL,
    session BLOB,               -- NULL: no engagement data
    PRIMARY KEY (link, id)
) WITHOUT ROWID;

-- How many opens of a link by people a viewer has in opens. One that has none has no row.
CREATE TABLE viewers (
    link   BIGINT NOT NULL,
    viewer BIGINT NOT NULL,
    opens  BIGINT NOT NULL,
    PRIMARY KEY (link, viewer)
) WITHOUT ROWID;

-- Opens of past days, many in a row. The IDs of a link's packs do not overlap.
CREATE TABLE packs (
    link     BIGINT NOT NULL,
    first    BIGINT NOT NULL, -- id of its first open
    last     BIGINT NOT NULL,
    opens    BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    data     BLOB   NOT NULL,
    PRIMARY KEY (link, first)
) WITHOUT ROWID;

-- Which viewer came to which link on which day, of the people's opens in packs, sorted. Each run is sorted in itself; what is
-- in any run is true.
CREATE TABLE runs (
    account BIGINT NOT NULL,
    run     BIGINT NOT NULL,
    entries BIGINT NOT NULL,
    merging BIGINT NOT NULL, -- 0: it is true; 1: no more; else when it was last worked on, being made of others (ms)
    PRIMARY KEY (account, run)
) WITHOUT ROWID;
CREATE TABLE visits (
    account BIGINT NOT NULL,
    run     BIGINT NOT NULL,
    first   BIGINT NOT NULL, -- its first viewer; the entries of a viewer are all in one row of a run
    data    BLOB   NOT NULL,
    PRIMARY KEY (account, run, first)
) WITHOUT ROWID;

-- Tallies of 8^level days from a day on, of a link, or of the account (link 0).
CREATE TABLE tallies (
    account BIGINT NOT NULL,
    link    BIGINT NOT NULL,
    level   BIGINT NOT NULL,
    day     BIGINT NOT NULL,
    head    BLOB   NOT NULL,
    body    BLOB   NOT NULL,
    PRIMARY KEY (account, link, level, day)
) WITHOUT ROWID;

-- Their engaged times: of a group of buckets, or all (-1); those that no tally of a lower level has.
CREATE TABLE times (
    account BIGINT NOT NULL,
    link    BIGINT NOT NULL,
    level   BIGINT NOT NULL,
    day     BIGINT NOT NULL,
    part    BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (account, link, part, level, day)
) WITHOUT ROWID;

-- Views by link of each day of an account that has any.
CREATE TABLE daily_views (
    account BIGINT NOT NULL,
    day     BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (account, day)
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
