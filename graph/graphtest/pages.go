package graphtest
var pageTests = []test{}
