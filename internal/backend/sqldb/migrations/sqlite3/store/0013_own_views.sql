-- +goose Up
ALTER TABLE accounts ADD COLUMN count_own BOOLEAN NOT NULL DEFAULT false; -- whether the owner's own views count
ALTER TABLE accounts ADD COLUMN own_changed_at BIGINT; -- when that was changed, until all views follow it
CREATE INDEX accounts_own_changed ON accounts (id) WHERE own_changed_at IS NOT NULL;
