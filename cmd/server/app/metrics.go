package app

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type metrics struct {
	registry          *prometheus.Registry
	requests          *prometheus.HistogramVec
	hintDisagreements prometheus.Counter
	refusedTokens     prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "procgraph_http_request_duration_seconds", Help: "Time to answer HTTP requests, by route and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route", "status"}),
		hintDisagreements: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "procgraph_registry_hint_disagreements_total",
			Help: "Rows that the registry left out since the recomputed truth was worse than the stored hint.",
		}),
		refusedTokens: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "procgraph_refused_tokens_total", Help: "Requests whose token was refused.",
		}),
	}
	m.registry.MustRegister(m.requests, m.hintDisagreements, m.refusedTokens,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}
