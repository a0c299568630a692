-- The ID of a view holds its time. Days count from 1970. Package segment describes the blobs. SQLite keeps long ones in
-- tables with row IDs, whose pages they fill; in the tree of a primary key, each would leave a part of its pages empty.

-- +goose Up
-- One row.
CREATE TABLE log (
    id        INTEGER PRIMARY KEY,
    seq       BIGINT NOT NULL, -- number of transactions that changed views
    run       BIGINT NOT NULL, -- number of the last run that was begun
    mark      BIGINT NOT NULL, -- the random number by which the store knows this log; 0: none yet
    copy      BIGINT NOT NULL, -- number of the copy of the views outside of this database; 0: there is none
    next_link BIGINT NOT NULL, -- the link, and its view, from which on views have not been copied yet
    next_view BIGINT NOT NULL,
    news      BIGINT NOT NULL  -- the row of news up to which all were decided
);
INSERT INTO log (id, seq, run, mark, copy, next_link, next_view, news) VALUES (1, 0, 0, 0, 0, 0, 0, 0);

-- How far the views of an account are rolled up, as days (state.go).
CREATE TABLE accounts (
    account         INTEGER PRIMARY KEY,
    version         BIGINT NOT NULL, -- another one whenever something before compacted_until changes
    compacted_until BIGINT NOT NULL, -- views of this day and later ones are in no segment
    rolled_up_until BIGINT NOT NULL, -- views of earlier days are in segments alone
    stale_from      BIGINT NOT NULL, -- tallies of it and later ones are wrong or missing
    building_until  BIGINT NOT NULL, -- there are no tallies of it and later ones
    retained_from   BIGINT NOT NULL  -- a multiple of 64: views of earlier days have expired, only their tallies remain
);
CREATE INDEX accounts_rolled_up ON accounts (rolled_up_until);

-- The counts of each link that was ever viewed.
CREATE TABLE links (
    link      INTEGER PRIMARY KEY,
    account   BIGINT  NOT NULL,
    deleting  BOOLEAN NOT NULL, -- its views no longer count, and are being deleted
    views     BIGINT  NOT NULL,
    downloads BIGINT  NOT NULL
);
CREATE INDEX links_of_account ON links (account, deleting);

-- The sums over the links of an account that are not being deleted.
CREATE TABLE account_counts (
    account   INTEGER PRIMARY KEY,
    views     BIGINT  NOT NULL,
    downloads BIGINT  NOT NULL
);

-- The labels that views and tallies refer to by number, those together that often occur together.
CREATE TABLE words (
    id   INTEGER PRIMARY KEY,
    word BLOB NOT NULL UNIQUE
);

-- Views that are in no segment.
CREATE TABLE views (
    link    BIGINT  NOT NULL,
    id      BIGINT  NOT NULL,
    record  BLOB    NOT NULL,
    session BLOB,             -- NULL: no engagement
    engaged BOOLEAN NOT NULL, -- there is a session. By this column, a snapshot of such a view does not write to the index again.
    PRIMARY KEY (link, id)
) WITHOUT ROWID;
-- Finds the newest views with engagement among any number without.
CREATE INDEX views_engaged ON views (link, id) WHERE engaged;

-- How many views of a link by people in the table views a viewer has. A viewer without any has no row.
CREATE TABLE viewers (
    link   BIGINT NOT NULL,
    viewer BIGINT NOT NULL,
    views  BIGINT NOT NULL,
    latest BIGINT, -- when the last of them began, in milliseconds; NULL if it does not count any more
    PRIMARY KEY (link, viewer)
) WITHOUT ROWID;

-- Views of past days, many in a row. The IDs of a link's segments do not overlap.
CREATE TABLE segments (
    link     BIGINT NOT NULL,
    first    BIGINT NOT NULL, -- ID of its first view
    last     BIGINT NOT NULL,
    views    BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    albums   BOOLEAN NOT NULL, -- some of its views were opened from an album
    data     BLOB   NOT NULL,
    PRIMARY KEY (link, first)
);
CREATE INDEX segments_albums ON segments (link, first) WHERE albums;

-- Which viewer came to which link on which day, of the views by people in segments. Each run is sorted; an entry of any run is
-- valid.
CREATE TABLE runs (
    account BIGINT NOT NULL,
    run     BIGINT NOT NULL,
    entries BIGINT NOT NULL,
    merging BIGINT NOT NULL, -- 0: valid; 1: no longer valid; else the time of the last work on it, while it is made of others (ms)
    PRIMARY KEY (account, run)
) WITHOUT ROWID;
CREATE TABLE viewer_days (
    account BIGINT NOT NULL,
    run     BIGINT NOT NULL,
    first   BIGINT NOT NULL, -- its first viewer; the entries of a viewer are all in one row of a run
    data    BLOB   NOT NULL,
    PRIMARY KEY (account, run, first)
);

-- Tallies of 8^level days from a day on, of a link, or of the account (link 0).
CREATE TABLE tallies (
    account BIGINT NOT NULL,
    link    BIGINT NOT NULL,
    level   BIGINT NOT NULL,
    day     BIGINT NOT NULL,
    head    BLOB   NOT NULL,
    body    BLOB   NOT NULL,
    PRIMARY KEY (account, link, level, day)
);

-- Their engaged times: of a group of buckets, or all (-1); those that no tally of a lower level has.
CREATE TABLE times (
    account BIGINT NOT NULL,
    link    BIGINT NOT NULL,
    level   BIGINT NOT NULL,
    day     BIGINT NOT NULL,
    part    BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (account, link, part, level, day)
);

-- Views by link of each day of an account that has any.
CREATE TABLE daily_views (
    account BIGINT NOT NULL,
    day     BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (account, day)
);

CREATE TABLE downloads (
    link BIGINT NOT NULL,
    id   BIGINT NOT NULL,
    view BIGINT, -- NULL: the view with this ID; 0: none; negative: none, and the recipient with this ID
    PRIMARY KEY (link, id)
) WITHOUT ROWID;
-- These have another ID than their view.
CREATE INDEX downloads_of_view ON downloads (link, view) WHERE view IS NOT NULL;

-- How far files were imported.
CREATE TABLE imports (
    file  BLOB   PRIMARY KEY, -- SHA-256
    lines BIGINT NOT NULL,
    at    BIGINT NOT NULL     -- ms
) WITHOUT ROWID;

-- The views that transactions have added or changed since the copy began and that are not copied yet (changes.go).
CREATE TABLE changes (
    seq  INTEGER PRIMARY KEY, -- of the transaction
    at   BIGINT NOT NULL,     -- ms
    data BLOB   NOT NULL
);

-- The views and downloads of people that transactions have added or changed, until they are decided (news.go).
CREATE TABLE news (
    seq  INTEGER PRIMARY KEY, -- of the transaction
    at   BIGINT NOT NULL,     -- ms, when it happened
    data BLOB   NOT NULL
);
