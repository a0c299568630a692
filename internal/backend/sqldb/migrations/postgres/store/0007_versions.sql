-- +goose Up
-- Versions of a link's file. The file of the current one is in the link's own row.
ALTER TABLE links ADD COLUMN version_of BIGINT NOT NULL DEFAULT 0; -- the link that it is a version of; 0: none
ALTER TABLE links ADD COLUMN version BIGINT NOT NULL DEFAULT 1;    -- its number; of a link, of its current version
ALTER TABLE links ADD COLUMN versions BIGINT NOT NULL DEFAULT 0;   -- of a link: the highest number given; 0: never replaced
ALTER TABLE links ADD COLUMN pending BIGINT NOT NULL DEFAULT 0;    -- of a link: the version that is to become current; 0: none
ALTER TABLE uploads ADD COLUMN replaces BIGINT NOT NULL DEFAULT 0; -- the link that it is to be a version of; 0: none

CREATE UNIQUE INDEX links_of_link ON links (version_of, version) WHERE version_of <> 0;
DROP INDEX links_facts;
CREATE INDEX links_facts ON links (account, id, kind, pages, created_at) WHERE deleted_at IS NULL AND site = 0 AND version_of = 0;
DROP INDEX links_of_account;
CREATE INDEX links_of_account ON links (account, created_at, id, deleted_at, has_bytes, size, site, version_of) WHERE deleted_at IS NULL;
DROP INDEX links_words;
CREATE INDEX links_words ON links (account, id, kind, state, created_at, size, site, version_of) WHERE deleted_at IS NULL;
DROP INDEX uploads_held;
CREATE INDEX uploads_held ON uploads (account, hold_until, size, site, replaces) WHERE state = 'open';

-- Limits of an account's own have the number of versions of its plan.
UPDATE accounts SET limits = jsonb_set(limits::jsonb, '{versions}', CASE plan WHEN 'free' THEN '1'::jsonb ELSE '10'::jsonb END)::text
    WHERE limits IS NOT NULL;
