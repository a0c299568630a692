-- +goose Up
-- Bytes that their account does not need any more, until they are purged.
UPDATE uploads SET hold_until = NULL WHERE state <> 'open'; -- their bytes are gone, or their link's
CREATE INDEX uploads_spare ON uploads (account, hold_until, size, state) WHERE state <> 'open' AND hold_until IS NOT NULL;
CREATE INDEX links_spare ON links (account, deleted_at, size, upload, has_bytes) WHERE deleted_at IS NOT NULL AND has_bytes AND upload <> '';
