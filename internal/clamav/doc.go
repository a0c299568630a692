// Package clamav scans with ClamAV's daemon, clamd, over its sockets.
//
// What clamd says is believed only where it can be nothing else. It calls clean
// what it has not looked at, because it is too large or nested too deep, unless
// its configuration has AlertExceedsMax; and nothing in its protocol tells
// whether it has. Every connection therefore begins with a few bytes that are
// beyond any daemon's limits, and a daemon that calls those clean is not used
// at all. Daemons behind one address may differ, so this holds for the
// connection, which is kept for further scans, and for nothing else. clamd logs
// each such check as "Heuristics.Limits.Exceeded.MaxRecursion FOUND".
//
// The clamd.conf that goes with it:
//
//	AlertExceedsMax yes
//	StreamMaxLength 2000M   # not less than the largest upload, where that is less than 2 GB
//	MaxScanSize     2000M
//	MaxFileSize     2000M   # not less than MaxScanSize
//	MaxRecursion    17      # at most 99
//	MaxThreads      10      # not less than Options.AtOnce
//
// MaxFileSize matters as much as AlertExceedsMax: clamd 1.4.6 looks at the
// first MaxFileSize bytes of a file in a ZIP archive and says nothing of the
// rest, unless MaxScanSize is met before. No file of 2 GiB or more is scanned
// by any clamd: ErrScanLimit. MaxScanTime (2 minutes unless set) must be less
// than Options.Timeout, so that clamd is first to say that a file takes too
// long.
package clamav
