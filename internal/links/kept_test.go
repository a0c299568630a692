package links

// Kept returns how many links are kept in memory, for tests.
func (s *Service) Kept() int {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return len(s.cache.links)
}
