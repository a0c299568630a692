-- Times are milliseconds since 1970, UTC; NULL is none. IDs are never given twice.

-- +goose Up
CREATE TABLE accounts (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    email          TEXT    NOT NULL UNIQUE,
    password       TEXT    NOT NULL, -- hash; empty: none
    factor         BLOB,             -- JSON: passkeys, the secret of an app, encrypted, and hashes of recovery codes; NULL: none
    plan           TEXT    NOT NULL,
    limits         TEXT,             -- JSON; NULL: the plan's
    role           TEXT    NOT NULL,
    banned         BOOLEAN NOT NULL,
    viewer_key     BLOB,
    viewer_key_at  BIGINT,
    created_at     BIGINT  NOT NULL,
    closed_at      BIGINT,
    closing        BOOLEAN NOT NULL, -- closed, and something is to be removed
    time_zone      TEXT    NOT NULL, -- of its reports in the app; '': UTC
    count_own      BOOLEAN NOT NULL, -- whether the owner's own views count
    own_changed_at BIGINT,           -- when that was changed, until all views follow it
    dismissed      TEXT    NOT NULL, -- the notice that its administrator has read
    no_mail        TEXT    NOT NULL, -- mails that it does not want
    weekly         BIGINT  NOT NULL, -- the last Monday on which the week before was summed up
    mailed         TEXT    NOT NULL  -- what it was mailed as administrator or moderator, and when
);
CREATE INDEX accounts_by_role ON accounts (role, id) WHERE role <> '';
CREATE INDEX accounts_banned ON accounts (id) WHERE banned;
CREATE INDEX accounts_closing ON accounts (id) WHERE closing;
CREATE INDEX accounts_weekly ON accounts (weekly, id) WHERE closed_at IS NULL;
CREATE INDEX accounts_own_changed ON accounts (id) WHERE own_changed_at IS NOT NULL;

CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    hash       BLOB    NOT NULL UNIQUE,
    label      TEXT    NOT NULL,
    by_token   BOOLEAN NOT NULL,
    half       BOOLEAN NOT NULL, -- the second factor is still to come
    factor_at  BIGINT,           -- when the second factor was last shown
    identity   BIGINT  NOT NULL, -- that it began with; 0: none
    step       BOOLEAN NOT NULL, -- the provider has asked for a second step
    created_at BIGINT  NOT NULL,
    used_at    BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL
);
CREATE INDEX sessions_of_account ON sessions (account);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- People at providers of OpenID Connect.
CREATE TABLE identities (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    issuer     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    email      TEXT    NOT NULL,
    tokens     BLOB, -- with which the provider is asked again, sealed
    created_at BIGINT  NOT NULL,
    checked_at BIGINT  NOT NULL,
    check_at   BIGINT, -- when the provider is asked again
    UNIQUE (issuer, subject)
);
CREATE INDEX identities_of_account ON identities (account);
CREATE INDEX identities_due ON identities (check_at) WHERE check_at IS NOT NULL;

-- Secrets that are valid once: sign-in links, invitations, password resets.
CREATE TABLE one_time_tokens (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    purpose    TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE,
    account    BIGINT  NOT NULL, -- 0: none yet
    email      TEXT    NOT NULL,
    plan       TEXT    NOT NULL,
    invited_by BIGINT  NOT NULL, -- 0: the administrator
    created_at BIGINT  NOT NULL,
    expires_at BIGINT,
    UNIQUE (purpose, email)
);
CREATE INDEX one_time_tokens_by_email ON one_time_tokens (email);
CREATE INDEX one_time_tokens_of_account ON one_time_tokens (account) WHERE account <> 0;
CREATE INDEX one_time_tokens_by_expiry ON one_time_tokens (expires_at);

-- Tries at passwords and the like. The key is a keyed hash of what they count against.
CREATE TABLE attempts (
    id  INTEGER PRIMARY KEY AUTOINCREMENT,
    key BLOB    NOT NULL,
    at  BIGINT  NOT NULL
);
CREATE INDEX attempts_by_key ON attempts (key, at);
CREATE INDEX attempts_by_time ON attempts (at);

CREATE TABLE keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    name       TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE,
    last4      TEXT    NOT NULL,
    scope      TEXT    NOT NULL,
    link_life  BIGINT  NOT NULL, -- milliseconds; 0: no limit
    created_at BIGINT  NOT NULL,
    used_at    BIGINT,
    revoked_at BIGINT,
    expires_at BIGINT,
    replaced   BOOLEAN NOT NULL,
    code       TEXT    NOT NULL -- '': none
);
CREATE UNIQUE INDEX keys_by_code ON keys (code) WHERE code <> '';
CREATE INDEX keys_of_account ON keys (account, created_at, id);
CREATE INDEX keys_revoked ON keys (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX keys_expiring ON keys (expires_at) WHERE expires_at IS NOT NULL;

-- Requests of programs for an API key, which a person confirms in a browser.
CREATE TABLE logins (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    code           TEXT    NOT NULL UNIQUE, -- that the person compares
    hash           BLOB    NOT NULL UNIQUE, -- of the program's secret
    program        TEXT    NOT NULL,
    machine        TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    account        BIGINT  NOT NULL, -- 0: nobody has decided
    scope          TEXT    NOT NULL, -- what the program asks for at most, and then what the person gives, as below
    key_expires_at BIGINT,           -- NULL: the key does not expire
    key_end_chosen BOOLEAN NOT NULL, -- whether anybody has chosen that
    created_at     BIGINT  NOT NULL,
    expires_at     BIGINT  NOT NULL
);
CREATE INDEX logins_by_expiry ON logins (expires_at);

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
    site            BIGINT  NOT NULL, -- 0: none
    replaces        BIGINT  NOT NULL  -- the link that it is to be a version of; 0: none
) WITHOUT ROWID;
CREATE UNIQUE INDEX uploads_by_key ON uploads (account, idempotency_key) WHERE NOT replaced AND idempotency_key <> '';
CREATE INDEX uploads_of_account ON uploads (account, created_at);
CREATE INDEX uploads_held ON uploads (account, hold_until, size, site, replaces) WHERE state = 'open';
-- Bytes that their account does not need any more, until they are purged.
CREATE INDEX uploads_spare ON uploads (account, hold_until, size, state) WHERE state <> 'open' AND hold_until IS NOT NULL;
CREATE INDEX uploads_by_slug ON uploads (slug, hold_until) WHERE state = 'open' AND slug <> '';
CREATE INDEX uploads_by_state ON uploads (state, created_at, id);

-- Links, versions of a link's file, and versions of websites. The file of the current version is in the link's own row.
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
    outline        TEXT    NOT NULL,
    allow_download BOOLEAN NOT NULL,
    state          TEXT    NOT NULL,
    reason         TEXT    NOT NULL,
    detail         TEXT    NOT NULL,
    scanned        TEXT    NOT NULL, -- signatures
    created_at     BIGINT  NOT NULL,
    state_at       BIGINT,
    deleted_at     BIGINT,
    trash_until    BIGINT, -- until when a deleted link can be restored; NULL: it cannot
    has_bytes      BOOLEAN NOT NULL,
    parts          TEXT    NOT NULL,
    preview        TEXT    NOT NULL,
    site           BIGINT  NOT NULL, -- the website that it is a version of; 0: none
    files          BIGINT  NOT NULL, -- of a version of a website
    key            BIGINT  NOT NULL, -- that it was made with; 0: none
    client         TEXT    NOT NULL,
    expires_at     BIGINT,
    version_of     BIGINT  NOT NULL, -- the link that it is a version of; 0: none
    version        BIGINT  NOT NULL, -- its number; of a link, of its current version
    versions       BIGINT  NOT NULL, -- of a link: the highest number given; 0: never replaced
    pending        BIGINT  NOT NULL, -- of a link: the version that is to become current; 0: none
    told           BIGINT  NOT NULL, -- the highest number of views that an event told: 1, 10, 100 and so on
    bell           TEXT    NOT NULL, -- when its owner gets mails; '': at the first view
    rung_on        BIGINT  NOT NULL, -- the last day on which a mail said that it is viewed
    access         TEXT    NOT NULL, -- what readers need (vitrine.Access); '': nothing
    notes          TEXT    NOT NULL, -- on days of its report; '': none
    labels         TEXT    NOT NULL, -- one per line; '': none
    label_words    TEXT    NOT NULL, -- folded, each between line breaks: what a filter by label looks through
    words          TEXT    NOT NULL  -- title, name and slug, folded: what a search looks through, and the order by title
);
CREATE UNIQUE INDEX links_by_slug ON links (slug) WHERE slug <> '';
-- Has the oldest link of an account first, and all that a filtered report reads of each link, with what it selects by.
CREATE INDEX links_facts ON links (account, site, version_of, created_at, deleted_at, id, kind, pages, version, versions) WHERE deleted_at IS NULL AND site = 0 AND version_of = 0;
-- Finds the files of an account's replaced links for its report.
CREATE INDEX links_version_facts ON links (account, version_of, version, kind, pages) WHERE version_of <> 0;
-- The order of an account's list.
CREATE INDEX links_of_account ON links (account, created_at, id, deleted_at, has_bytes, size, site, version_of) WHERE deleted_at IS NULL;
-- What an account's search reads of every link, in the order of titles.
CREATE INDEX links_words ON links (account, words, id, kind, state, created_at, size, site, version_of) WHERE deleted_at IS NULL;
-- Its links with labels, and what these are.
CREATE INDEX links_labels ON links (account, labels, label_words, created_at, id, site, version_of) WHERE labels <> '' AND deleted_at IS NULL;
CREATE INDEX links_of_key ON links (key, created_at, id) WHERE key <> 0;
CREATE INDEX links_of_site ON links (site, created_at, id) WHERE site <> 0 AND deleted_at IS NULL;
CREATE UNIQUE INDEX links_of_link ON links (version_of, version) WHERE version_of <> 0;
CREATE INDEX links_by_state ON links (state, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX links_in_review ON links (state, state_at, id, reason) WHERE state = 'review' AND deleted_at IS NULL;
-- Begins with a condition on one value, so that the planner prefers it to an index by state, which needs a sort.
CREATE INDEX links_preview_due ON links (preview, created_at, id) WHERE preview = '' AND state IN ('live', 'review') AND has_bytes AND deleted_at IS NULL;
CREATE INDEX links_by_sha256 ON links (sha256, created_at, id) WHERE sha256 <> '';
CREATE INDEX links_to_scan ON links (state, id, scanned) WHERE has_bytes AND deleted_at IS NULL;
CREATE INDEX links_expiring ON links (expires_at) WHERE expires_at IS NOT NULL AND state = 'live' AND deleted_at IS NULL;
CREATE INDEX links_deleted ON links (deleted_at, has_bytes, trash_until, slug) WHERE deleted_at IS NOT NULL;
-- The trash, by account, with what a report reads of each link; and what leaves it next.
CREATE INDEX links_in_trash ON links (account, deleted_at, id, site, version_of, created_at, kind, pages, version, versions, trash_until) WHERE deleted_at IS NOT NULL AND trash_until IS NOT NULL;
CREATE INDEX links_leaving_trash ON links (trash_until, id) WHERE deleted_at IS NOT NULL AND trash_until IS NOT NULL;
CREATE INDEX links_trashed_versions ON links (version_of, id) WHERE deleted_at IS NOT NULL AND trash_until IS NOT NULL AND version_of <> 0;
-- Bytes that their account does not need any more, until they are purged.
CREATE INDEX links_spare ON links (account, deleted_at, size, upload, has_bytes) WHERE deleted_at IS NOT NULL AND has_bytes AND upload <> '';

-- What each account's links that are not deleted add up to. An account that never had one has no row.
CREATE TABLE link_counts (
    account INTEGER PRIMARY KEY REFERENCES accounts (id),
    links   BIGINT  NOT NULL, -- without versions and websites
    bytes   BIGINT  NOT NULL  -- with them
);

-- Places of browsers at links and albums that limit their readers
-- (vitrine.Place). Here and in the next two tables, a negative link is an album
-- (vitrine.Album.Door).
CREATE TABLE places (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    link       BIGINT  NOT NULL,
    round      TEXT NOT NULL,
    machine    BOOLEAN NOT NULL,
    at         BIGINT  NOT NULL,
    bytes_at   BIGINT, -- NULL: not yet
    counted_at BIGINT  -- NULL: not yet
);
CREATE INDEX places_by_link ON places (link, round);

-- Readers who confirmed an address at the email gate of a link
-- (vitrine.KnownReader).
CREATE TABLE known_readers (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    link    BIGINT NOT NULL,
    round   TEXT    NOT NULL,
    email   TEXT    NOT NULL,
    consent TEXT    NOT NULL,
    at      BIGINT NOT NULL
);
CREATE UNIQUE INDEX known_readers_once ON known_readers (link, round, email);
CREATE INDEX known_readers_of_link ON known_readers (link, id);
CREATE INDEX known_readers_by_time ON known_readers (at);

-- How often browsers were shown the gates of links, and readers passed them.
CREATE TABLE gates (
    link   INTEGER PRIMARY KEY,
    shown  BIGINT NOT NULL,
    passed BIGINT NOT NULL
);

-- Slugs that links had before: they lead to them until a time.
CREATE TABLE old_slugs (
    slug       TEXT   PRIMARY KEY,
    link       BIGINT NOT NULL REFERENCES links (id),
    until_time BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX old_slugs_of_link ON old_slugs (link, until_time);
CREATE INDEX old_slugs_by_time ON old_slugs (until_time);

-- Named addresses of links.
CREATE TABLE recipients (
    id             INTEGER PRIMARY KEY, -- random
    link           BIGINT  NOT NULL REFERENCES links (id),
    account        BIGINT  NOT NULL REFERENCES accounts (id),
    number         BIGINT  NOT NULL, -- of the link's recipients, from 1
    token          TEXT    NOT NULL, -- in the address, after the slug
    label          TEXT    NOT NULL, -- for the owner; '': deleted
    allow_download BOOLEAN, -- NULL: as the link says
    created_at     BIGINT  NOT NULL,
    expires_at     BIGINT, -- NULL: with the link
    revoked_at     BIGINT,
    call           TEXT    NOT NULL, -- the idempotency key of the call that added it; '': none
    asked          BLOB, -- hash of what that call asked for
    access         TEXT, -- what its readers need; '': nothing; NULL: as the link says
    opened_at      BIGINT -- when an event said that a person viewed the link
);
CREATE UNIQUE INDEX recipients_by_number ON recipients (link, number);
CREATE UNIQUE INDEX recipients_by_token ON recipients (link, token);

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

-- The numbers by which the view log knows websites and their pages.
CREATE TABLE site_pages (
    number BIGINT PRIMARY KEY, -- random; of the website as a whole its account in the log, of a page its link there
    site   BIGINT NOT NULL REFERENCES sites (id),
    path   TEXT   NOT NULL     -- of the file; '': the website as a whole
) WITHOUT ROWID;
CREATE UNIQUE INDEX site_pages_by_path ON site_pages (site, path);

CREATE TABLE albums (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    slug       TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    access     TEXT    NOT NULL, -- what readers need (vitrine.Access); '': nothing
    created_at BIGINT  NOT NULL,
    deleted_at BIGINT
);
CREATE UNIQUE INDEX albums_by_slug ON albums (slug) WHERE slug <> '';
CREATE INDEX albums_of_account ON albums (account, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX albums_deleted ON albums (deleted_at) WHERE deleted_at IS NOT NULL AND slug <> '';

-- The links of an album, in the order of places, which may have gaps.
CREATE TABLE album_links (
    album BIGINT NOT NULL REFERENCES albums (id),
    place BIGINT NOT NULL,
    link  BIGINT NOT NULL REFERENCES links (id),
    PRIMARY KEY (album, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX album_links_once ON album_links (album, link);
CREATE INDEX album_links_of_link ON album_links (link);

-- Read-only addresses of reports.
CREATE TABLE shared_reports (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    link       BIGINT  NOT NULL,        -- 0: all links of the account
    hash       BLOB    NOT NULL UNIQUE, -- of the secret in the address
    label      TEXT    NOT NULL,        -- for the owner
    password   TEXT    NOT NULL,        -- a PHC string; '': none
    query      TEXT    NOT NULL,        -- its days and filter; '': any days
    created_at BIGINT  NOT NULL,
    expires_at BIGINT                   -- NULL: valid until it is revoked
);
CREATE INDEX shared_reports_by_account ON shared_reports (account, link);
CREATE INDEX shared_reports_by_expiry ON shared_reports (expires_at);

-- How many views of a link were above the limits of a network in an hour. They are not in the view log. Account and link are
-- as it knows them, also those of websites.
CREATE TABLE excess_views (
    account BIGINT NOT NULL,
    link    BIGINT NOT NULL,
    hour    BIGINT NOT NULL, -- its beginning
    views   BIGINT NOT NULL,
    PRIMARY KEY (account, link, hour)
) WITHOUT ROWID;
CREATE INDEX excess_views_by_link ON excess_views (link);

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
-- The history of the instance, newest first.
CREATE INDEX changes_of_all ON changes (id) WHERE action <> 'create' AND action NOT IN ('key', 'rotate', 'sign-in', 'password', 'factor', 'provider');
CREATE INDEX changes_by_people ON changes (id) WHERE actor IN ('owner', 'moderator', 'administrator') AND action <> 'create';
-- The activity of an account (vitrine.ChangeQuery): for its owner, and to delete it by age.
CREATE INDEX changes_activity ON changes (account, id) WHERE action IN ('key', 'rotate', 'sign-in', 'password', 'factor', 'provider');
CREATE INDEX changes_activity_by_age ON changes (at) WHERE action IN ('key', 'rotate', 'sign-in', 'password', 'factor', 'provider');

-- What happened, for the owner of an account. Old events are deleted.
CREATE TABLE events (
    account BIGINT NOT NULL REFERENCES accounts (id),
    id      BIGINT NOT NULL, -- 1, 2 and so on in the account
    at      BIGINT NOT NULL,
    kind    TEXT   NOT NULL,
    link    BIGINT NOT NULL, -- 0: none
    ref     BIGINT NOT NULL, -- the view, download, change or number of views that it is about
    data    BLOB   NOT NULL, -- JSON
    PRIMARY KEY (account, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX events_once ON events (account, link, kind, ref);
CREATE INDEX events_by_time ON events (at);

-- Events of views that have ended, many in a row: the views alone.
CREATE TABLE ended_views (
    account BIGINT NOT NULL REFERENCES accounts (id),
    last    BIGINT NOT NULL, -- the IDs of the events, as in the table events
    first   BIGINT NOT NULL,
    at      BIGINT NOT NULL,
    views   BLOB   NOT NULL, -- the link and the view of each event
    PRIMARY KEY (account, last)
) WITHOUT ROWID;
CREATE INDEX ended_views_by_time ON ended_views (at);

-- The last ID of an event that was given in each account.
CREATE TABLE event_ids (
    account INTEGER PRIMARY KEY REFERENCES accounts (id),
    last    BIGINT NOT NULL
);

-- Addresses that the events of accounts are sent to.
CREATE TABLE webhooks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    url        TEXT    NOT NULL, -- of a chat only the part that is not secret
    format     TEXT    NOT NULL,
    label      TEXT    NOT NULL,
    kinds      TEXT    NOT NULL, -- JSON; null means all
    links      TEXT    NOT NULL, -- JSON; null means all
    names      BOOLEAN NOT NULL,
    created_at BIGINT  NOT NULL,
    secret     BLOB    NOT NULL, -- sealed with the secret of the instance
    old_secret BLOB,
    old_until  BIGINT,
    off        TEXT    NOT NULL, -- why it sends nothing
    off_at     BIGINT,
    failures   BIGINT  NOT NULL, -- failed tries since the last success
    next_at    BIGINT  NOT NULL,
    seen       BIGINT  NOT NULL -- the last event that was looked at
);
CREATE INDEX webhooks_of_account ON webhooks (account, id);
CREATE INDEX webhooks_sending ON webhooks (next_at, id) WHERE off = '' AND failures = 0;
CREATE INDEX webhooks_failing ON webhooks (next_at, id) WHERE off = '' AND failures > 0;

-- Messages of webhooks, also those that were sent. Old ones are deleted.
CREATE TABLE deliveries (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook    BIGINT NOT NULL REFERENCES webhooks (id),
    account    BIGINT NOT NULL REFERENCES accounts (id),
    event      BIGINT NOT NULL, -- 0: a test
    kind       TEXT   NOT NULL,
    link       BIGINT NOT NULL, -- 0: none
    created_at BIGINT NOT NULL,
    state      TEXT   NOT NULL,
    tries      BIGINT NOT NULL,
    next_at    BIGINT NOT NULL,
    tried_at   BIGINT,
    status     BIGINT NOT NULL, -- of the last answer; 0: none
    answer     TEXT   NOT NULL, -- its beginning
    error      TEXT   NOT NULL
);
CREATE INDEX deliveries_of_webhook ON deliveries (webhook, id);
CREATE INDEX deliveries_waiting ON deliveries (webhook, link, id) WHERE state = 'waiting';
CREATE INDEX deliveries_by_time ON deliveries (created_at) WHERE state <> 'waiting';

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

-- Which process does what work.
CREATE TABLE leases (
    name       TEXT   PRIMARY KEY,
    holder     TEXT   NOT NULL,
    until_time BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX leases_by_time ON leases (until_time);

-- Messages to be sent. A sent message is deleted.
CREATE TABLE letters (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT    NOT NULL,
    recipient  TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    html       TEXT    NOT NULL, -- '': plain text only
    stop       TEXT    NOT NULL, -- address that ends such messages; '': none
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
