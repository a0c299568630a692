package archive

// RarFile is an entry of a RAR archive.
type RarFile struct {
	Name         string
	Dir, Link    bool
	Stored       bool
	Data, Packed int64 // where its bytes are: offset and length
	Unpacked     int64
}
