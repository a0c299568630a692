-- +goose Up
ALTER TABLE accounts ADD COLUMN time_zone TEXT NOT NULL DEFAULT ''; -- of its reports in the app; '': UTC
