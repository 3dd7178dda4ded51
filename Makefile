# The same names as the commands of dev.py, for those who like to type make.
# Further arguments: make test ARGS="-k channels"

.PHONY: install run test bench fmt lint types migration lock

install run test bench fmt lint types migration lock:
	@python3 dev.py $@ $(ARGS)
