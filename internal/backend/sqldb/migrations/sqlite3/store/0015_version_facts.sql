-- +goose Up
-- Finds the files of an account's replaced links for its report.
CREATE INDEX links_version_facts ON links (account, version_of, version, kind, pages) WHERE version_of <> 0;
