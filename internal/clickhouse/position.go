package clickhouse

import (
	"context"
	"fmt"

	"vitrine"
)

// Names in the table state: the mark, and the number of the last change of the
// log from which Fill copied. They are not part of a batch: they are written
// after the batches of Fill.
const (
	markName       = "mark"
	filledFromName = "since"
)

// Position implements [vitrine.ViewLog]. Last is the number of the last batch
// in the journal, whether it is carried out or not. Each insert is synced to
// disk.
func (l *ViewLog) Position(ctx context.Context) (p vitrine.LogPosition, err error) {
	value := func(name string) string {
		return "toInt64(ifNull((SELECT sum(value) FROM state FINAL WHERE name = '" + name + "'), 0))"
	}
	_, err = l.c.one(ctx, "SELECT "+value(markName)+", "+value(filledFromName)+
		" + toInt64(ifNull((SELECT max(number) FROM journal), 0))",
		func(r *reader) { p.Mark, p.Last = r.int64(), r.int64() })
	return p, err
}

// SetMark implements [vitrine.ViewLog].
func (l *ViewLog) SetMark(ctx context.Context, old, mark int64) error {
	release, err := l.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	p, err := l.Position(ctx)
	if err != nil || p.Mark != old {
		return err
	}
	return l.putValue(ctx, markName, mark)
}

// Continue gives the log the mark of the log that it was filled from, and
// continues the numbering of its changes.
func (l *ViewLog) Continue(ctx context.Context, from vitrine.LogPosition) error {
	p, err := l.Position(ctx)
	if err != nil || p.Mark == from.Mark {
		return err
	}
	release, err := l.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := l.putValue(ctx, filledFromName, from.Last); err != nil {
		return err
	}
	return l.putValue(ctx, markName, from.Mark) // last, so that both exist if this one does
}

// putValue sets a value of the state outside a batch. The caller holds the
// turn.
func (l *ViewLog) putValue(ctx context.Context, name string, value int64) error {
	var version uint64
	_, err := l.c.one(ctx, "SELECT max(version) FROM state WHERE name = '"+name+"'",
		func(r *reader) { version = r.uint64() })
	if err != nil {
		return err
	}
	s := putState(name, value, version+1)
	return failure(ctx, l.c.insert(ctx, s.into, s.data, fmt.Sprintf("%s %d %d", name, version+1, value)))
}
