"""What an account means for the beliefs of an attacker."""
