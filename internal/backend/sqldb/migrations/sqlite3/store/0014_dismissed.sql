-- +goose Up
ALTER TABLE accounts ADD COLUMN dismissed TEXT NOT NULL DEFAULT ''; -- the notice that its administrator has read
