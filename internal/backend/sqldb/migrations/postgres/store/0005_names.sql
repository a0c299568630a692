-- +goose Up
ALTER TABLE tickets RENAME TO one_time_tokens;
ALTER TABLE guesses RENAME TO attempts;
ALTER TABLE sessions RENAME COLUMN by_ticket TO by_token;
