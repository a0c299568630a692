// Command tusdserver serves tusd, the reference server of the protocol tus,
// with files in a directory, for benchmarks.
//
//	tusdserver ADDRESS DIRECTORY
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/tus/tusd/v2/pkg/filelocker"
	"github.com/tus/tusd/v2/pkg/filestore"
	"github.com/tus/tusd/v2/pkg/handler"
	"golang.org/x/exp/slog"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: tusdserver ADDRESS DIRECTORY")
	}
	dir := os.Args[2]
	if err := os.MkdirAll(dir, 0o700); err != nil {
		log.Fatal(err)
	}
	composer := handler.NewStoreComposer()
	filestore.New(dir).UseIn(composer)
	filelocker.New(dir).UseIn(composer)
	h, err := handler.NewHandler(handler.Config{BasePath: "/files/", StoreComposer: composer,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/files/", http.StripPrefix("/files/", h))
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
