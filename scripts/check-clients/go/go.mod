module check

go 1.21

require gopkg.in/validator.v2 v2.0.1
