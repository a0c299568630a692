package clamav

import (
	"testing"

	"vitrine"
	"vitrine/internal/test/porttest"
	"vitrine/internal/test/vitrinetest"
)

func TestScanner(t *testing.T) {
	d := vitrinetest.Clamd(t, "DetectPUA yes")
	d.Database(t, "local.ndu", []byte(vitrinetest.ClamdSignature("PUA.Vitrine.Test", "vitrine-pua-text")))
	d.Reload(t)
	porttest.Scanner(t, func(t *testing.T, says vitrine.ScanResult) (vitrine.Scanner, []byte) {
		return scanner(t, Options{Addresses: []string{d.Socket}}), map[vitrine.ScanResult][]byte{
			vitrine.ScanClean:      porttest.CleanFile(3*chunk + 1),
			vitrine.ScanSuspicious: []byte("this is vitrine-pua-text"),
			vitrine.ScanMalware:    vitrinetest.EICAR(),
		}[says]
	})
}
