package report

// SealPiece returns a piece with any payload.
func SealPiece(payload []byte) []byte { return seal(append([]byte{pieceVersion}, payload...), 0) }
