package vitrinetest

import (
	"errors"
	"reflect"
	"testing"

	"vitrine"
)

// A Fault can fail each method of a port that returns an error, also those that
// a port gets later. A method that is not wrapped reaches the missing backend
// behind the fault, and panics.
func TestFaultFailsEachMethod(t *testing.T) {
	fault := &Fault{}
	for _, port := range []struct {
		is     reflect.Type
		faulty any
	}{
		{reflect.TypeFor[vitrine.Tx](), &faultyTx{fault: fault}},
		{reflect.TypeFor[vitrine.ViewLog](), fault.ViewLog(nil)},
		{reflect.TypeFor[vitrine.Blobs](), fault.Blobs(nil)},
	} {
		for i := range port.is.NumMethod() {
			m := port.is.Method(i)
			if n := m.Type.NumOut(); n == 0 || m.Type.Out(n-1) != reflect.TypeFor[error]() {
				continue
			}
			t.Run(port.is.Name()+"/"+m.Name, func(t *testing.T) {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("not wrapped: %v", p)
					}
				}()
				*fault = Fault{N: 1}
				if tx, ok := port.faulty.(*faultyTx); ok {
					tx.failed = nil
				}
				var args []reflect.Value
				for in := range m.Type.NumIn() {
					args = append(args, reflect.Zero(m.Type.In(in)))
				}
				call := reflect.ValueOf(port.faulty).MethodByName(m.Name).Call
				if m.Type.IsVariadic() {
					call = reflect.ValueOf(port.faulty).MethodByName(m.Name).CallSlice
				}
				out := call(args)
				if err, _ := out[len(out)-1].Interface().(error); !errors.Is(err, ErrFault) {
					t.Errorf("it answers %v, want the fault", err)
				}
			})
		}
	}
}
