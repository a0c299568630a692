// Package clamav scans with ClamAV's daemon, clamd, over its sockets.
//
// clamd reports "OK" for data that it skipped because it is too large or nested
// too deeply, unless its configuration has AlertExceedsMax. The protocol does
// not show this setting. So every connection begins with a probe, a few bytes
// that exceed the limits of any daemon. A daemon that reports the probe as
// clean is not used. Daemons behind one address may differ, so the result is
// valid for that connection only, which is kept for further scans. clamd logs
// each such check as "Heuristics.Limits.Exceeded.MaxRecursion FOUND".
//
// The clamd.conf that goes with it:
//
//	AlertExceedsMax yes
//	StreamMaxLength 2000M   # not less than the largest upload, where that is less than 2 GB
//	MaxScanSize     2000M
//	MaxFileSize     2000M   # not less than MaxScanSize
//	MaxRecursion    17      # at most 99
//	MaxThreads      10      # not less than Options.Concurrency
//
// MaxFileSize matters as much as AlertExceedsMax: clamd 1.4.6 scans only the
// first MaxFileSize bytes of a file in a ZIP archive and does not report it,
// unless MaxScanSize is reached before. clamd never scans files of 2 GiB or
// more: the result is ErrScanLimit. MaxScanTime (2 minutes unless set) must be
// less than Options.Timeout, so that clamd is the first to report that a file
// takes too long.
package clamav
