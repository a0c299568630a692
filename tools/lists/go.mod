module vitrine/tools/lists

go 1.25
