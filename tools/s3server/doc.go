// Package s3server has the S3 server that tests start, versitygw, in a module
// of its own: the program's has none of what that one needs.
//
//	go -C tools/s3server tool versitygw --help
package s3server
