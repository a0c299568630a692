package client

import "encoding/json"

// Access is what readers of a link need. It never has a secret.
type Access struct {
	Password    bool `json:"password,omitempty"`    // there is one
	Readers     int  `json:"readers,omitempty"`     // how many people may open the link; 0 for any number
	ReadersLeft int  `json:"readersLeft,omitempty"` // of Readers, how many more
}

// AccessChange is a change of what readers of a link need. Nil fields stay
// unchanged.
type AccessChange struct {
	Password *string // "" removes it
	Readers  *int    // 0 removes the limit
}

// MarshalJSON implements [json.Marshaler].
func (c AccessChange) MarshalJSON() ([]byte, error) {
	o := map[string]any{}
	if c.Password != nil {
		o["password"] = orFalse(*c.Password)
	}
	if c.Readers != nil {
		o["readers"] = orFalse(*c.Readers)
	}
	return json.Marshal(o)
}

// orFalse returns a value, or false for the zero value, which removes what it
// would set.
func orFalse[T comparable](v T) any {
	var zero T
	if v == zero {
		return false
	}
	return v
}
