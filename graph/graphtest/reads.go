package graphtest
var readTests = []test{}
