package fault_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/fault"
	"vitrine/internal/test/vitrinetest"
)

// TestFailsEachMethod checks that an Injector can fail each method of a port
// that returns an error, also methods that a port gets later.
func TestFailsEachMethod(t *testing.T) {
	f := &fault.Injector{}
	for _, port := range []struct {
		is     reflect.Type
		faulty any
	}{
		{reflect.TypeFor[vitrine.ViewLog](), f.ViewLog(nil)},
		{reflect.TypeFor[vitrine.Blobs](), f.Blobs(nil)},
	} {
		eachMethod(t, port.is, func(t *testing.T, m reflect.Method) {
			*f = fault.Injector{N: 1}
			if err := call(port.faulty, m); !errors.Is(err, fault.ErrInjected) {
				t.Errorf("the method returns %v, want ErrInjected", err)
			}
		})
	}
}

// TestFailsEachMethodOfTx checks that each method of a transaction runs a
// statement, which can fail, in SQLite and in PostgreSQL.
func TestFailsEachMethodOfTx(t *testing.T) {
	for name, place := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "store.db") },
		"PostgreSQL": func(t *testing.T) string { return vitrinetest.PostgresDatabase(t) },
	} {
		t.Run(name, func(t *testing.T) {
			store, err := sqlstore.Open(place(t))
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			eachMethod(t, reflect.TypeFor[vitrine.Tx](), func(t *testing.T, m reflect.Method) {
				f := &fault.Injector{N: 2} // the first operation is the beginning
				err := f.Store(store).Update(t.Context(), func(tx vitrine.Tx) error {
					if err := call(tx, m); !errors.Is(err, fault.ErrInjected) {
						t.Errorf("the method returns %v, want ErrInjected", err)
					}
					return nil // ignores the failure
				})
				if !errors.Is(err, fault.ErrInjected) || f.Operations() < 2 {
					t.Errorf("the transaction with %d operations returns %v, want ErrInjected", f.Operations(), err)
				}
			})
		})
	}
}

// eachMethod runs a subtest for each method of an interface that returns an
// error.
func eachMethod(t *testing.T, of reflect.Type, test func(*testing.T, reflect.Method)) {
	for i := range of.NumMethod() {
		m := of.Method(i)
		if n := m.Type.NumOut(); n > 0 && m.Type.Out(n-1) == reflect.TypeFor[error]() {
			t.Run(of.Name()+"/"+m.Name, func(t *testing.T) { test(t, m) })
		}
	}
}

// call calls a method of an interface with zero values, or pointers to them,
// and returns its error.
func call(on any, m reflect.Method) error {
	var args []reflect.Value
	for in := range m.Type.NumIn() {
		arg := reflect.Zero(m.Type.In(in))
		switch arg.Kind() {
		case reflect.Pointer:
			arg = reflect.New(arg.Type().Elem())
		case reflect.Slice:
			arg = reflect.MakeSlice(arg.Type(), 1, 1)
		}
		args = append(args, arg)
	}
	method := reflect.ValueOf(on).MethodByName(m.Name)
	if m.Type.IsVariadic() {
		return last(method.CallSlice(args))
	}
	return last(method.Call(args))
}

func last(out []reflect.Value) error {
	err, _ := out[len(out)-1].Interface().(error)
	return err
}
