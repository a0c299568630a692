package links

// Kept returns the number of links in memory, for tests.
func (s *Service) Kept() int {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return len(s.cache.links)
}
