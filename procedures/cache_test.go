package procedures

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	cache := NewCache(2)
	first, err := cache.Analyze("tools.a()\r\n")
	if err != nil {
		t.Fatal(err)
	}
	again, err := cache.Analyze("tools.a()\n")
	if err != nil || again != first {
		t.Errorf("the same text with other line ends is analysed again (%v)", err)
	}
	for i := range 3 {
		if _, err := cache.Analyze(fmt.Sprintf("tools.b%d()", i)); err != nil {
			t.Fatal(err)
		}
	}
	if cache.entries.Len() != 2 {
		t.Errorf("%d entries in a cache of two", cache.entries.Len())
	}
	if analysis, err := cache.Analyze("x = '\x00'"); err == nil || analysis != nil {
		t.Errorf("not refused: %v, %v", analysis, err)
	}
	if NewCache(0) == nil || NewCache(-1) == nil {
		t.Error("a cache holds at least one entry")
	}
}

func TestCacheIsBoundedByWeight(t *testing.T) {
	cache := NewCache(1_000_000)
	for i := range 200 {
		code := fmt.Sprintf("x = '''%s%d'''", strings.Repeat("a", maxSource-100), i)
		if _, err := cache.Analyze(code); err != nil {
			t.Fatal(err)
		}
	}
	if cache.weight > maxCached || cache.entries.Len() >= 200 || cache.entries.Len() < 50 {
		t.Errorf("%d entries of %d bytes in all", cache.entries.Len(), cache.weight)
	}
	cache.entries.Purge()
	if cache.weight != 0 {
		t.Errorf("an empty cache weighs %d", cache.weight)
	}
}

func TestCacheIsSafeForConcurrentUse(t *testing.T) {
	cache := NewCache(8)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 60 {
				code := fmt.Sprintf("await tools.t%d(x=%d)", (i+worker)%12, i%3)
				got, err := cache.Analyze(code)
				if err != nil || !got.Proven || got.Signature[0] != fmt.Sprintf("t%d", (i+worker)%12) {
					t.Errorf("%s: %+v, %v", code, got, err)
					return
				}
			}
		})
	}
	group.Wait()
}
