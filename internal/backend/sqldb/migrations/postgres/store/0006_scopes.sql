-- +goose Up
ALTER TABLE keys ADD COLUMN scope TEXT NOT NULL DEFAULT 'full';
ALTER TABLE keys ADD COLUMN link_life BIGINT NOT NULL DEFAULT 0; -- milliseconds; 0: no limit
ALTER TABLE keys ADD COLUMN replaced BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE keys SET replaced = TRUE WHERE expires_at IS NOT NULL; -- nothing else gave a key an end

ALTER TABLE links ADD COLUMN key BIGINT NOT NULL DEFAULT 0; -- that it was made with; 0: none
ALTER TABLE links ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE links ADD COLUMN expires_at BIGINT;
CREATE INDEX links_of_key ON links (key, created_at, id) WHERE key <> 0;
CREATE INDEX links_expiring ON links (expires_at) WHERE expires_at IS NOT NULL AND state = 'live' AND deleted_at IS NULL;
