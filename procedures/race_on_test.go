//go:build race

package procedures

const raceEnabled = true
