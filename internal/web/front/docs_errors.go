package front

import (
	"slices"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// docError is what the documentation says of a code.
type docError struct {
	Code       vitrine.Code
	When, Then string
	// Where it comes up beside the operations of the API: "page" for public
	// pages and their beacons.
	Beside string
	// Ops are the operations of the API that answer with it; nil: all that take
	// a key.
	Ops []string
}

// Status is the HTTP status of the code.
func (d docError) Status() int { return httpx.StatusOf[d.Code] }

// On says that an operation answers with the code.
func (d docError) On(op string) bool {
	for _, o := range d.Ops {
		if o == op {
			return true
		}
	}
	return false
}

// OnlyPut says that only the signed PUT answers with the code.
func (d docError) OnlyPut() bool { return len(d.Ops) == 1 && d.Ops[0] == "putFile" }

// Groups of operations.
var (
	begins     = []string{"createUpload"}
	completes  = []string{"completeUpload"}
	puts       = []string{"putFile"}
	uploadOps  = []string{"createUpload", "completeUpload"}
	edits      = []string{"updateLink"}
	reportOps  = []string{"getLinkAnalytics", "getAccountAnalytics", "listVisits"}
	versionOps = []string{"listVersions", "restoreVersion", "deleteVersion"}
	ofOneLink  = append([]string{"getLink", "updateLink", "deleteLink", "getFile", "listCaptions", "putCaptions",
		"deleteCaptions", "getLinkAnalytics", "listVisits", "getVisit"}, versionOps...)
	loginOps = []string{"startLogin", "takeLogin"}
	withKey  = append([]string{"revokeKey", "createUpload", "completeUpload", "listLinks", "getAccountAnalytics"},
		ofOneLink...)
	// Operations that a key with the smallest scope may not ask for.
	needScope = []string{"revokeKey", "createUpload", "completeUpload", "updateLink", "deleteLink", "putCaptions",
		"deleteCaptions", "restoreVersion", "deleteVersion"}
	anyOp = append([]string{"status", "putFile", "startLogin", "takeLogin"}, withKey...)
)

// docErrors are all codes that someone can meet, by status.
var docErrors = []docError{
	{Code: vitrine.CodeInvalidJSON, When: "The body is not one JSON object in valid UTF-8: a name twice, something behind it, over 16 KiB, nested over 8 deep, or another content type.", Then: "Send one object as application/json.", Ops: slices.Concat(loginOps, uploadOps, edits), Beside: "page"},
	{Code: vitrine.CodeInvalidRequest, When: "A member is missing or of the wrong type, a file with captions cannot be read, a filter or another parameter of a report is wrong, or a version cannot be restored or deleted.", Then: "Look at field, if it is there: it names the member.", Ops: []string{"createUpload", "completeUpload", "listLinks", "updateLink", "putCaptions", "deleteCaptions", "restoreVersion", "deleteVersion", "startLogin", "takeLogin", "getLinkAnalytics", "getAccountAnalytics", "listVisits"}, Beside: "page"},
	{Code: vitrine.CodeInvalidName, When: "The file’s name is empty, longer than 255 bytes, or has a slash, control or text-direction characters, no extension, or a space or dot at an end.", Then: "Rename the file.", Ops: begins},
	{Code: vitrine.CodeUnsupportedType, When: "The extension is not on the list, or one of the extensions is that of a program or script.", Then: "See the file types. Convert the file, or pack it into a ZIP.", Ops: begins},
	{Code: vitrine.CodeTypeMismatch, When: "The MIME type does not belong to the extension; or the PUT has another Content-Type than was declared.", Then: "Send the type of the extension, or application/octet-stream, the same in all steps.", Ops: []string{"createUpload", "putFile"}},
	{Code: vitrine.CodeInvalidSize, When: "The size is not a whole number of 1 or more.",
		Then: "Send the exact size in bytes.", Ops: begins},
	{Code: vitrine.CodeInvalidSlug, When: "The name for the link is not 3 to 50 letters, digits and single hyphens, or is reserved.", Then: "Choose another.", Ops: append(edits, uploadOps...)},
	{Code: vitrine.CodeSlugTaken, When: "The name is in use, held by an upload, or of a link deleted in the last 90 days.", Then: "Choose another.", Ops: append(edits, uploadOps...)},
	{Code: vitrine.CodeInvalidIdempotencyKey, When: "The idempotencyKey is not a UUID.",
		Then: "Make one per file, and keep it for retries.", Ops: begins},
	{Code: vitrine.CodeIdempotencyMismatch, When: "The same idempotencyKey came before with another name, type, size, slug or replace; or step 3 differs from step 1.", Then: "Send in step 3 what step 1 said; make a new key for another file.", Ops: uploadOps},
	{Code: vitrine.CodeUploadNotFound, When: "There is no upload with that path on this account, or it has ended.",
		Then: "Begin again with step 1.", Ops: completes},
	{Code: vitrine.CodeUploadIncomplete, When: "Step 3 came before all bytes had arrived.",
		Then: "Finish the PUT, then repeat step 3. The upload stays good.", Ops: completes},
	{Code: vitrine.CodeSizeMismatch, When: "More or fewer bytes came than were declared.",
		Then: "Begin again with the exact size. The bytes were deleted.", Ops: []string{"completeUpload", "putFile"}},
	{Code: vitrine.CodeContentMismatch, When: "The bytes are not what the name says.",
		Then: "Give the file the extension of its content. The bytes were deleted.", Ops: completes},
	{Code: vitrine.CodeUnsafeFile, When: "Inspection refuses the file; reason says why.",
		Then: "Do as the message says. The bytes were deleted.", Ops: completes},
	{Code: vitrine.CodeMalware, When: "The safety scan has found malware.",
		Then: "Do not send the file again. The bytes were deleted.", Ops: completes},
	{Code: vitrine.CodeBadRange, When: "range is not one of 7d, 14d, 30d, 90d, all, or comes twice; from or to is no date, to is before from or after today, or only one of them is there.", Then: "Send one range, or two dates. field names what is wrong.", Ops: reportOps},
	{Code: vitrine.CodeUnauthorized, When: "The API key is missing, malformed, unknown or revoked.",
		Then: "Send Authorization: Bearer and a key that is listed on the page of your keys.", Ops: withKey},
	{Code: vitrine.CodeBanned, When: "The account is suspended.", Then: "Ask the administrator.",
		Ops: append([]string{"takeLogin", "putFile"}, withKey...)},
	{Code: vitrine.CodeForbidden, When: "The API key has a smaller scope than the operation needs: read for lists and reports, publish for uploads and edits, full for what deletes.", Then: "Use a key with the scope that the message names. Nothing was changed.", Ops: needScope},
	{Code: vitrine.CodeProRequired, When: "The plan has no analytics, or no custom names.", Then: "See upgradeUrl.",
		Ops: slices.Concat([]string{"createUpload", "completeUpload", "updateLink", "getVisit"}, reportOps)},
	{Code: vitrine.CodeLinkLimit, When: "The account has as many links and unfinished uploads as its plan allows.",
		Then: "Delete a link, wait until heldUntil if it is there, or see upgradeUrl. In step 3 the bytes were deleted.", Ops: uploadOps},
	{Code: vitrine.CodeFileTooLarge, When: "The file is larger than the account allows.",
		Then: "Make it smaller, or see upgradeUrl.", Ops: uploadOps},
	{Code: vitrine.CodeStorageLimit, When: "The file does not fit into what is left of the plan’s storage.",
		Then: "Delete a link, wait until heldUntil if it is there, or see upgradeUrl. In step 3 the bytes were deleted.", Ops: uploadOps},
	{Code: vitrine.CodeInvalidSignature, When: "The signed URL was cut or changed.",
		Then: "Send it exactly as step 1 gave it.", Ops: puts},
	{Code: vitrine.CodeURLExpired, When: "The signed URL is older than ten minutes.",
		Then: "Repeat step 1 with the same idempotencyKey for a fresh one.", Ops: puts},
	{Code: vitrine.CodeNotFound, When: "There is no link of that name on this account, or it has no such version or visit; or no such operation; or the code of a login has expired, or its key was taken.", Then: "Check the name: a link of another account answers alike. Start the login again.", Ops: slices.Concat([]string{"takeLogin"}, uploadOps, ofOneLink)},
	{Code: vitrine.CodeMethodNotAllowed, When: "The address does not take this method.",
		Then: "See Allow in the answer.", Ops: anyOp},
	{Code: vitrine.CodeURLUsed, When: "The file of this upload is stored already, and the PUT has other bytes; or the upload has ended.", Then: "Continue with step 3. The same bytes again get 200.", Ops: puts},
	{Code: vitrine.CodeUploadInProgress, When: "Another transfer to the same URL is under way.",
		Then: "Wait for it, or for its end, and try again.", Ops: puts},
	{Code: vitrine.CodePreconditionFailed, When: "If-Match names another state of the link than it has: something has changed it since.", Then: "Look at current, which is the link as it is, and send the request with its ETag. Nothing was changed.", Ops: []string{"updateLink", "deleteLink", "createUpload", "completeUpload", "restoreVersion", "deleteVersion"}},
	{Code: vitrine.CodeRateLimited, When: "As many uploads were begun in the last 60 minutes as the account may begin; or a network has asked for many logins; or a link was changed many times within an hour.", Then: "Wait for as many seconds as Retry-After says.", Ops: append([]string{"startLogin", "updateLink", "restoreVersion"}, uploadOps...)},
	{Code: vitrine.CodeInternal, When: "Something went wrong on our side.",
		Then: "Try again; if it stays, tell the administrator the X-Request-Id.",
		Ops:  slices.DeleteFunc(slices.Clone(anyOp), func(op string) bool { return op == "status" })},
	{Code: vitrine.CodeUnavailable, When: "A part that the request needs is down or full. Nothing was half done.",
		Then: "Send the same request again after Retry-After.", Ops: append(append(puts, loginOps...), withKey...)},
}

// notForPrograms are codes that only people meet, on pages that say what they
// mean.
var notForPrograms = []vitrine.Code{vitrine.CodeNotAvailable, vitrine.CodeDisabled, vitrine.CodeCrossOrigin}
