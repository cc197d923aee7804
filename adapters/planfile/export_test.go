package planfile

// File is for the test of the schema, which imports this package.
type File = file
