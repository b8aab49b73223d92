//go:build !race

package procedures

const raceEnabled = false
