package procedures

import (
	"crypto/sha256"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxCached bounds the memory of a cache, by the weight of its analyses in bytes.
const maxCached = 64 << 20

// Cache remembers analyses. They depend on nothing but the text, so an entry is never stale. It is safe for
// concurrent use. Refusals are not kept.
type Cache struct {
	mu      sync.Mutex
	entries *simplelru.LRU[[sha256.Size]byte, *Analysis]
	weight  int
}

// NewCache makes a cache for that many analyses, at least one; fewer are kept while they are large.
func NewCache(size int) *Cache {
	c := &Cache{}
	entries, err := simplelru.NewLRU(max(size, 1), func(_ [sha256.Size]byte, evicted *Analysis) { c.weight -= weigh(evicted) })
	if err != nil {
		panic(err) // only for a size below one
	}
	c.entries = entries
	return c
}

// Analyze is the function Analyze, answered from memory when the same text was analysed before. The key is the
// SHA-256 of the text with LF line ends, which for canonical text is the code hash.
func (c *Cache) Analyze(source string) (*Analysis, error) {
	text := normalise(source)
	key := sha256.Sum256([]byte(text))
	c.mu.Lock()
	analysis, ok := c.entries.Get(key)
	c.mu.Unlock()
	if ok {
		return analysis, nil
	}
	analysis, err := analyze(text)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.entries.Contains(key) {
		c.weight += weigh(analysis)
		c.entries.Add(key, analysis)
	}
	for c.weight > maxCached && c.entries.Len() > 1 {
		c.entries.RemoveOldest()
	}
	return analysis, nil
}

// weigh estimates the memory that an analysis holds.
func weigh(a *Analysis) int {
	return 512 + 2*len(a.Code) + 64*(len(a.Signature)+len(a.Inputs)) + 48*len(a.References) + 128*len(a.Findings)
}
