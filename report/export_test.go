package report

// SealPiece makes a piece of any payload.
func SealPiece(payload []byte) []byte { return seal(append([]byte{pieceVersion}, payload...), 0) }
