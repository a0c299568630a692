module vitrine/client

go 1.26.0
