// Checks what roundledger signs and proves with Go's own packages: the arguments are a verifier's key and a folder with
// checkpoint.txt, older.txt (an earlier checkpoint), consistency (hashes, one a line) and N.entry with N.tlog-proof.
package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Println("REFUSED:", err)
		os.Exit(1)
	}
}

func hash(line string) tlog.Hash {
	var h tlog.Hash
	b, err := base64.StdEncoding.DecodeString(line)
	must(err)
	copy(h[:], b)
	return h
}

func tree(text []byte, verifiers note.Verifiers) (int64, tlog.Hash) {
	n, err := note.Open(text, verifiers)
	must(err)
	lines := strings.Split(n.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	return size, hash(lines[2])
}

func main() {
	verifier, err := note.NewVerifier(os.Args[1])
	must(err)
	verifiers := note.VerifierList(verifier)
	folder := os.Args[2]
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(folder, name))
		must(err)
		return b
	}
	size, root := tree(read("checkpoint.txt"), verifiers)
	oldSize, oldRoot := tree(read("older.txt"), verifiers)
	var proof tlog.TreeProof
	for _, line := range strings.Fields(string(read("consistency"))) {
		proof = append(proof, hash(line))
	}
	must(tlog.CheckTree(proof, size, root, oldSize, oldRoot))
	entries, err := filepath.Glob(filepath.Join(folder, "*.entry"))
	must(err)
	for _, path := range entries {
		entry, err := os.ReadFile(path)
		must(err)
		text := read(strings.TrimSuffix(filepath.Base(path), ".entry") + ".tlog-proof")
		head, checkpoint, _ := bytes.Cut(text, []byte("\n\n"))
		lines := strings.Split(string(head), "\n")
		index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
		must(err)
		var record tlog.RecordProof
		for _, line := range lines[2:] {
			record = append(record, hash(line))
		}
		n, r := tree(checkpoint, verifiers)
		must(tlog.CheckRecord(record, n, r, index, tlog.RecordHash(entry)))
	}
	fmt.Println("accepted", len(entries))
}
